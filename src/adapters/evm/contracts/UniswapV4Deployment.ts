/**
 * Plans the deployment of the router for Uniswap v4. Its address depends on the chain's PoolManager and wrapped native currency alone, so
 * operators share it: the first one who deploys it does so for all.
 */
import { encodeDeployData } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Chain } from "../../../domain/Chain.ts"
import { uniswapV4Router } from "../abi/routers.generated.ts"
import * as Deployment from "./Deployment.ts"

export interface Arguments {
  readonly poolManager: Address.Address
  readonly wrappedNative: Address.Address
}

/** Address, expected code and transaction of the router. */
export const plan = ({ poolManager, wrappedNative }: Arguments): Deployment.Part => {
  const { abi, creationCode } = uniswapV4Router
  const initCode = encodeDeployData({ abi, bytecode: creationCode, args: [poolManager, wrappedNative] })
  return {
    address: Deployment.create2(initCode),
    runtimeCode: Deployment.filled(uniswapV4Router, { poolManager, wrappedNative }),
    immutables: { poolManager, wrappedNative },
    transaction: Deployment.deployment("uniswap-v4-router", initCode)
  }
}

/** The router of each venue of Uniswap v4 that a chain declares. A venue may name another router, which is not planned. */
export const plansOf = ({
  venues = [],
  wrappedNative
}: Pick<Chain, "venues" | "wrappedNative">): ReadonlyArray<Deployment.Part> =>
  venues
    .flatMap(({ poolManager, router }) =>
      poolManager === undefined ? [] : [{ router, planned: plan({ poolManager, wrappedNative }) }]
    )
    .filter(({ planned, router }) => router === planned.address)
    .map(({ planned }) => planned)
