/** Tokens of an attacker, each with a pool against USDC in which one whole token costs a dollar. */
import { Effect } from "effect"
import { encodeDeployData, encodeFunctionData, type Hex, parseUnits } from "viem"
import { units } from "../../src/devnet/Tokens.ts"
import type { Place } from "../Holdings.ts"
import { hostileProxy, hostileToken } from "./hostile.generated.ts"
import * as Pools from "./Pools.ts"
import type { Purse } from "./Purse.ts"

/** As the enumerations of `HostileToken.sol` number them. */
export const TRIGGERS = {
  never: 0,
  always: 1,
  gasPrice: 2,
  baseFee: 3,
  oddRandomness: 4,
  oddBlock: 5,
  littleGas: 6,
  noCoinbase: 7,
  evenRandomness: 8,
  knownParent: 9
} as const

export const DEEDS = { revert: 0, burnGas: 1, returnBomb: 2, tax: 3, rebase: 4, callBack: 5 } as const

export interface Behaviour {
  readonly trigger: keyof typeof TRIGGERS
  readonly deed: keyof typeof DEEDS
  /** Gas, bytes or basis points of the deed. Default: 0. */
  readonly size?: bigint
  /** Gas left below which `littleGas` is due. */
  readonly threshold?: bigint
  /** Transfers that are made faithfully first. Default: 0. */
  readonly patience?: bigint
}

export interface Terms {
  /** Dollars on each side of its pool, which the attacker takes back. Default: 500,000. */
  readonly usd?: bigint
  /** Ticks on each side of the pool's price. Default: the full range. */
  readonly width?: number
  /** Behind a proxy that its master upgrades. Default: false. */
  readonly isProxy?: boolean
}

const FEE = 3000

/** Decimals of the tokens. */
const DECIMALS = 18

const MINT_GAS = 40_000n
const TURN_GAS = 150_000n

export const turning = ({ deed, patience = 0n, size = 0n, threshold = 0n, trigger }: Behaviour): Hex =>
  encodeFunctionData({
    abi: hostileToken.abi,
    functionName: "turn",
    args: [TRIGGERS[trigger], DEEDS[deed], size, threshold, patience]
  })

export const deploy = Effect.fnUntraced(function* (place: Place, purse: Purse, terms: Terms = {}) {
  const { isProxy = false, usd = 500_000n, width } = terms
  const { dev } = place
  const master = purse.account.address
  const created = Effect.fnUntraced(function* (data: Hex) {
    const { contractAddress } = yield* purse.run("deploy a hostile token", { data })
    return contractAddress ?? (yield* Effect.die(new Error("a deployment has an address")))
  })
  const code = yield* created(encodeDeployData({ ...codeOf(hostileToken), args: [master] }))
  const address = isProxy ? yield* created(encodeDeployData({ ...codeOf(hostileProxy), args: [master, code] })) : code

  const mint = Effect.fnUntraced(function* (accounts: ReadonlyArray<Hex>, whole: string) {
    const data = encodeFunctionData({
      abi: hostileToken.abi,
      functionName: "mint",
      args: [accounts, parseUnits(whole, DECIMALS)]
    })
    yield* purse.run("mint", { to: address, data, gas: 100_000n + MINT_GAS * BigInt(accounts.length) })
  })
  yield* mint([master], String(2n * usd))
  yield* purse.giveToken(purse.account, "USDC", 2n * usd)
  const pool = yield* Pools.open(place, purse, {
    sides: [
      { token: address, amount: usd * 10n ** BigInt(DECIMALS) },
      { token: dev.tokens.USDC, amount: units("USDC", usd) }
    ],
    fee: FEE,
    ...(width === undefined ? {} : { width })
  })
  return {
    address,
    pool,
    mint,
    /** Waits until the token behaves like this. */
    turn: (behaviour: Behaviour) => purse.run("turn", { to: address, data: turning(behaviour), gas: TURN_GAS }),
    /** Sends the change without waiting for a block. */
    turnSoon: (behaviour: Behaviour, tip: bigint) =>
      dev.node.ask("turn", () => purse.send({ to: address, data: turning(behaviour), gas: TURN_GAS, tip })),
    /** Calls that `callBack` makes. */
    setCalls: (calls: ReadonlyArray<{ readonly to: Hex; readonly data: Hex }>) =>
      purse.run("set calls", {
        to: address,
        data: encodeFunctionData({ abi: hostileToken.abi, functionName: "setCalls", args: [calls] })
      }),
    /** Sends an upgrade of the proxy without waiting for a block. */
    upgradeSoon: (implementation: Hex, tip: bigint) =>
      dev.node.ask("upgrade", () =>
        purse.send({
          to: address,
          data: encodeFunctionData({ abi: hostileProxy.abi, functionName: "upgradeTo", args: [implementation] }),
          gas: TURN_GAS,
          tip
        })
      ),
    /** Code that the proxy runs at first. */
    implementation: code
  }
})

const codeOf = <const A>({ abi, creationCode }: { readonly abi: A; readonly creationCode: Hex }) => ({
  abi,
  bytecode: creationCode
})

export type Token = Effect.Success<ReturnType<typeof deploy>>
