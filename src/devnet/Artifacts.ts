/** Creation code of third-party contracts, from the artifacts in their npm packages. */
import { createRequire } from "node:module"
import { Effect, Schema } from "effect"
import { Hex } from "../domain/Hex.ts"

const Artifact = Schema.Struct({ bytecode: Schema.String })

const FILES = {
  weth9: "@uniswap/v2-periphery/build/WETH9.json",
  uniswapV2Factory: "@uniswap/v2-core/build/UniswapV2Factory.json",
  uniswapV2Router02: "@uniswap/v2-periphery/build/UniswapV2Router02.json",
  uniswapV3Factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  positionManager:
    "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
  swapRouter: "@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json",
  swapRouter02: "@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json",
  quoterV2: "@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
  spokePool: "@across-protocol/contracts/dist/evm/artifacts/Ethereum_SpokePool.sol/Ethereum_SpokePool.json",
  spokePoolPeriphery: "@across-protocol/contracts/dist/evm/artifacts/SpokePoolPeriphery.sol/SpokePoolPeriphery.json",
  multicallHandler: "@across-protocol/contracts/dist/evm/artifacts/MulticallHandler.sol/MulticallHandler.json",
  erc1967Proxy: "@across-protocol/contracts/dist/evm/artifacts/ERC1967Proxy.sol/ERC1967Proxy.json",
  multicall3: "@across-protocol/contracts/dist/evm/artifacts/Multicall3.sol/Multicall3.json"
} as const

export type Artifacts = Readonly<Record<keyof typeof FILES, Hex>>

/** These are development dependencies, so they are read when a network starts and not when this module is imported. */
const read = (file: string): Hex => {
  const { bytecode } = Schema.decodeUnknownSync(Artifact)(createRequire(import.meta.url)(file))
  return Schema.decodeUnknownSync(Hex)(bytecode.startsWith("0x") ? bytecode : `0x${bytecode}`)
}

/** Reads all artifacts. A missing one means a broken installation, which is a defect. */
export const load: Effect.Effect<Artifacts> = Effect.sync(() => ({
  weth9: read(FILES.weth9),
  uniswapV2Factory: read(FILES.uniswapV2Factory),
  uniswapV2Router02: read(FILES.uniswapV2Router02),
  uniswapV3Factory: read(FILES.uniswapV3Factory),
  positionManager: read(FILES.positionManager),
  swapRouter: read(FILES.swapRouter),
  swapRouter02: read(FILES.swapRouter02),
  quoterV2: read(FILES.quoterV2),
  spokePool: read(FILES.spokePool),
  spokePoolPeriphery: read(FILES.spokePoolPeriphery),
  multicallHandler: read(FILES.multicallHandler),
  erc1967Proxy: read(FILES.erc1967Proxy),
  multicall3: read(FILES.multicall3)
}))
