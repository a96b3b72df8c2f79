/**
 * Binds the account of a contract wallet to one chain. On another chain the same address can have other owners, such as the first ones,
 * or can be taken by a stranger.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { Chains } from "../../ports/shared/Chains.ts"

/** Makes `counts`, which decides about a contract's signature, and `bind`, which stores the chain of the first one that counts. */
export const make = Effect.gen(function* () {
  const audit = yield* AuditLog
  const builders = yield* Builders
  const chains = yield* Chains
  const { atomically } = yield* UnitOfWork

  /** Chains on which the wallet is deployed. */
  const deployments = (wallet: Address.Address) =>
    Effect.map(
      Effect.forEach(chains.all, (client) => client.code(wallet), { concurrency: "unbounded" }),
      (codes) => chains.all.flatMap(({ chain }, index) => (codes[index] === "0x" ? [] : [chain.id]))
    )

  /**
   * True if a signature counts that the wallet's contract gave on this chain: the builder's own or, until the builder has one, the only
   * chain on which the wallet is deployed. A wallet that is deployed nowhere counts on each, and one that signs up on each on which it is
   * deployed. A chain that does not answer leaves this open.
   */
  const counts = Effect.fnUntraced(function* (
    wallet: Address.Address,
    chainId: ChainId,
    builder: Option.Option<BuilderAccount>
  ) {
    const stored = Option.getOrUndefined(Option.flatMapNullishOr(builder, ({ walletChainId }) => walletChainId))
    if (stored !== undefined) return stored === chainId
    const deployed = yield* deployments(wallet)
    if (deployed.length === 0) return true
    // The holder of the address on any of several chains could be the first to sign in.
    return deployed.includes(chainId) && (Option.isNone(builder) || deployed.length === 1)
  })

  /** Stores the chain of a builder that has none. False if it has another one by now. */
  const bind = Effect.fnUntraced(
    function* ({ id }: BuilderAccount, chainId: ChainId) {
      const { after, before } = yield* builders.modify(id, (account) =>
        Effect.succeed(account.walletChainId === undefined ? { ...account, walletChainId: chainId } : account)
      )
      if (before.walletChainId === undefined) {
        const details = { walletChainId: chainId }
        yield* audit.append({ actor: `builder:${id}`, action: "builder.bind_wallet", subject: id, details })
      }
      return after.walletChainId === chainId
    },
    // Builders are never removed.
    Effect.catchTag("BuilderNotFound", Effect.die),
    atomically
  )

  return { counts, bind }
})
