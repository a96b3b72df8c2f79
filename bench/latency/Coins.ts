/** Tokens of a local chain for wallets that hold many: each has a pool with the chain's USDC, and is on the chain's list. */
import { Array, Effect } from "effect"
import { encodeDeployData, encodeFunctionData, erc20Abi, maxUint256, parseUnits } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type * as DevChain from "../../src/devnet/DevChain.ts"
import * as Essentials from "../../src/devnet/Essentials.ts"
import { devToken } from "../../src/devnet/artifacts.generated.ts"
import { Script, run } from "../../src/devnet/Script.ts"
import * as Tokens from "../../src/devnet/Tokens.ts"
import * as Uniswap from "../../src/devnet/Uniswap.ts"
import * as Address from "../../src/domain/Address.ts"

const DECIMALS = 18
const USDC_DECIMALS = 6

/** Whole tokens on each side of each pool. Each token is worth a dollar. */
const POOLED = "10000000"

/** Amount of each token that an owner gets, in its smallest unit. */
export const HELD = parseUnits("50", DECIMALS)

const deployed = (script: Script, count: number) =>
  Array.makeBy(count, (index) => {
    const symbol = `COIN${index}`
    const data = encodeDeployData({
      abi: devToken.abi,
      bytecode: devToken.creationCode,
      args: [symbol, symbol, DECIMALS]
    })
    return { symbol, name: symbol, decimals: DECIMALS, address: script.deploy(symbol, data) }
  })

const mint = (target: Address.Address, to: Address.Address, amount: bigint) => ({
  target,
  callData: Tokens.mint(to, amount),
  value: 0n
})

const approve = (script: Script, token: Address.Address, spender: Address.Address) =>
  script.call(
    "approve",
    token,
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, maxUint256] })
  )

/** Adds `count` tokens to the chain, and gives each owner {@link HELD} of each. Returns the chain with the longer list. */
export const add = Effect.fnUntraced(function* (
  dev: DevChain.DevChain,
  count: number,
  owners: ReadonlyArray<Address.Address>
) {
  const sender = Address.of(privateKeyToAccount(generatePrivateKey()).address)
  yield* dev.node.ask("pay for tokens", (client) => client.setBalance({ address: sender, value: 10n ** 24n }))
  const script = new Script(sender)
  const coins = deployed(script, count)
  const { USDC } = dev.tokens
  const pooled = { coin: parseUnits(POOLED, DECIMALS), usdc: parseUnits(POOLED, USDC_DECIMALS) }
  Essentials.callAll(script, "mint", [
    mint(USDC, sender, pooled.usdc * BigInt(count)),
    ...coins.flatMap(({ address }) => [
      mint(address, sender, pooled.coin),
      ...owners.map((owner) => mint(address, owner, HELD))
    ])
  ])
  const { positionManager } = dev.uniswap
  for (const token of [USDC, ...coins.map(({ address }) => address)]) approve(script, token, positionManager)
  for (const { address, symbol } of coins) {
    Uniswap.openPool(script, positionManager, {
      label: `${symbol}/USDC`,
      fee: 3000,
      sides: [
        { token: address, amount: pooled.coin },
        { token: USDC, amount: pooled.usdc }
      ]
    })
  }
  yield* run(dev.node, script)
  const listed = coins.map((coin) => ({ ...coin, chainId: dev.chain.id }))
  return { ...dev, chain: { ...dev.chain, tokens: [...dev.chain.tokens, ...listed] } } satisfies DevChain.DevChain
})
