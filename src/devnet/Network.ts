/** The chains of the local network, set up side by side, with a filler between them. */
import { Effect, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import type * as Address from "../domain/Address.ts"
import * as Accounts from "./Accounts.ts"
import type { DevChainFailed } from "./LocalNode.ts"
import * as DevChain from "./DevChain.ts"
import * as Filler from "./Filler.ts"
import type { SubprocessFailed } from "./Subprocess.ts"

export interface NetworkOptions {
  /** Default: `alpha` (31337) and `beta` (31338). */
  readonly chains?: ReadonlyArray<Pick<DevChain.DevChainOptions, "id" | "name" | "port" | "extras">>
  /** Program of every chain's node. Default: anvil. */
  readonly node?: DevChain.NodeKind
  /** Seconds between blocks. If absent, each transaction is mined immediately. */
  readonly blockSeconds?: number
  readonly confirmations?: number
  readonly domainName?: string
  /** If false, deposits stay unfilled. Default: true. */
  readonly filler?: boolean
}

export interface Network {
  readonly chains: ReadonlyArray<DevChain.DevChain>
  /** Hold every token and native currency on every chain. The network does not use them. */
  readonly users: ReadonlyArray<Accounts.DevAccount>
  /** Hold native currency on every chain. */
  readonly relayers: ReadonlyArray<Accounts.DevAccount>
  readonly sanctionedAddress: Address.Address
  /** Waits until a chain's node exits on its own, which is always a failure. */
  readonly exited: Effect.Effect<SubprocessFailed>
}

export const DEFAULT_CHAINS = [
  { id: 31_337, name: "alpha" },
  { id: 31_338, name: "beta" }
] as const

export const start = Effect.fn("Network.start")(function* (
  options: NetworkOptions = {}
): Effect.fn.Return<Network, SubprocessFailed | DevChainFailed, Scope.Scope | ChildProcessSpawner.ChildProcessSpawner> {
  const { blockSeconds, confirmations, domainName, node } = options
  const chains = yield* Effect.forEach(
    options.chains ?? DEFAULT_CHAINS,
    (chain) =>
      DevChain.start({
        ...chain,
        ...(node === undefined ? {} : { node }),
        ...(blockSeconds === undefined ? {} : { blockSeconds }),
        ...(confirmations === undefined ? {} : { confirmations }),
        ...(domainName === undefined ? {} : { domainName })
      }),
    { concurrency: "unbounded" }
  )
  if (options.filler ?? true) yield* Filler.start(chains)
  return {
    chains,
    users: Accounts.users(),
    relayers: Accounts.relayers(),
    sanctionedAddress: Accounts.sanctioned(),
    exited: Effect.raceAllFirst(chains.map((chain) => chain.node.exited))
  }
})
