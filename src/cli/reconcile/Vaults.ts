/** Reasons for which payments of a chain's vaults may be missing from a reconciliation. Each of them stops payouts. */
import { Effect, Option, Result } from "effect"
import { MAX_PAYMENT_SECONDS } from "../../builder/payout/PaymentProof.ts"
import type * as Address from "../../domain/Address.ts"
import { type Chain, vaults } from "../../domain/Chain.ts"
import { accountCode } from "../../domain/Delegation.ts"
import type { SweepBooking } from "../../domain/LostSweeps.ts"
import type { ChainView } from "../../orchestrator/shared/ChainView.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { Open } from "./Report.ts"

/** Tokens that are looked up at the same time. A silent endpoint delays each by its timeout. */
const TOKENS_AT_ONCE = 16

const stopping = (text: string): Open => ({ stopsPayouts: true, text })

/**
 * Number of vaults that sign their payments. A contract, such as a Safe, signs no permit. Its queue has no end that a chain shows. Two
 * endpoints have to agree, since a restore does not wait for the payments of a contract.
 */
const signers = Effect.fnUntraced(function* (client: ChainClient) {
  const codes = yield* Effect.forEach(vaults(client.chain), (vault) => client.corroborated(client.code(vault)))
  return codes.filter((code) => accountCode(code)._tag !== "Contract").length
})

/**
 * Open while a payment that the database forgot may still be mined. A node or a private relay may have it, or the signer alone, so no pool
 * shows it. The chain refuses it in every block after the deadline of its permit.
 */
const unexpired = Effect.fnUntraced(function* <E, R>(
  { client, confirmed }: ChainView,
  recordedAtMs: number,
  hasFees: Effect.Effect<boolean, E, R>
) {
  const deadlineMs = recordedAtMs + MAX_PAYMENT_SECONDS * 1000
  if (Option.exists(confirmed, ({ timestamp }) => Number(timestamp) * 1000 > deadlineMs)) return []
  if (!(yield* hasFees) || (yield* signers(client)) === 0) return []
  return [
    stopping(
      `a payment that the database forgot may still be mined on ${client.chain.name} until ${new Date(deadlineMs).toISOString()}, the ` +
        "latest deadline of its permit. Run this again when a block from after that time is confirmed"
    )
  ]
})

/** False only if two endpoints, or the only one, have no contract there. Fails if no endpoint answers. */
const mayBeContract = (code: ChainClient["code"], token: Address.Address): Effect.Effect<boolean, ChainUnavailable> =>
  code(token, "everywhere").pipe(
    Effect.map((found) => found !== "0x"),
    Effect.catch(() => Effect.as(code(token), true))
  )

/**
 * True if a vault may have these tokens on the chain. A payment in a token without a contract transfers nothing, so an accrual without a
 * chain cannot be paid there. Tokens of the chain's settings have a contract, even if a node does not know it.
 */
export const mayHold = Effect.fnUntraced(function* (
  { chain, code }: Pick<ChainClient, "chain" | "code">,
  tokens: ReadonlyArray<Address.Address>
) {
  const listed = new Set([chain.wrappedNative, ...chain.stables, ...chain.tokens.map(({ address }) => address)])
  if (tokens.some((token) => listed.has(token))) return true
  const found = yield* Effect.forEach(tokens, (token) => Effect.result(code(token, "everywhere")), {
    concurrency: TOKENS_AT_ONCE
  })
  if (found.some((each) => Result.isSuccess(each) && each.success !== "0x")) return true
  // Together they may have exceeded an endpoint's rate, so each of the rest is looked up again by itself.
  for (const [index, token] of tokens.entries()) {
    const each = found[index]
    if ((each === undefined || Result.isFailure(each)) && (yield* mayBeContract(code, token))) return true
  }
  return false
})

/**
 * Reasons for which a later look at the chain may show more payments. `hasFees` tells if builders may have earned something on the chain. It
 * is run only if that matters.
 */
export const unsettled = Effect.fnUntraced(function* <E, R>(
  view: ChainView,
  recordedAtMs: number,
  hasFees: Effect.Effect<boolean, E, R>
) {
  const { client, confirmed } = view
  const { chain } = client
  const waiting = yield* unexpired(view, recordedAtMs, hasFees)
  if (Option.isNone(confirmed) || Number(confirmed.value.timestamp) * 1000 < recordedAtMs) {
    const text = `${chain.name} has no confirmed block from after the restore yet. Run this again in a moment`
    return waiting.length > 0 ? waiting : [stopping(text)]
  }
  const { number } = confirmed.value
  const found = yield* Effect.forEach(vaults(chain), (vault) =>
    Effect.map(
      Effect.all([client.transactionCount(vault, number), client.transactionCount(vault, "pending")]),
      ([used, pending]) =>
        pending > used
          ? [
              stopping(
                `the vault ${vault} has a transaction on ${chain.name} that is not confirmed. Run this again in a moment`
              )
            ]
          : []
    )
  )
  return [...waiting, ...found.flat()]
})

type Listed = Pick<Chain, "id" | "name" | "builderVault" | "formerVaults">

/** Vaults that every chain has. */
export const shared = (chains: ReadonlyArray<Listed>): ReadonlyArray<Address.Address> => {
  const [first, ...others] = chains.map(vaults)
  return (first ?? []).filter((vault) => others.every((own) => own.includes(vault)))
}

/**
 * Accounts that recent orders name as the vault of a chain, and that its settings do not name. A chain of the books that is not
 * listed is open by itself.
 */
export const foreign = (
  chains: ReadonlyArray<Listed>,
  recent: ReadonlyArray<{ readonly chainId: number; readonly vault: Address.Address }>
): ReadonlyArray<Open> =>
  chains.flatMap((chain) =>
    recent
      .filter(({ chainId, vault }) => chainId === chain.id && !vaults(chain).includes(vault))
      .map(({ vault }) =>
        stopping(
          `recent orders name the vault ${vault} on ${chain.name}, which CHAINS_FILE does not have there, so its payments were not read. ` +
            "Add it to formerVaults of the chain, and run this again"
        )
      )
  )

/**
 * Accounts that may be vaults which the chain's settings do not name: `strays` are fees that went to an account that is no vault and no
 * builder's, and `former` are accounts that settled orders name as the vault.
 */
export const unnamed = (
  { id, name }: Pick<Chain, "id" | "name">,
  strays: ReadonlyArray<SweepBooking>,
  former: ReadonlyArray<Address.Address>
): ReadonlyArray<Open> => {
  const fees = Map.groupBy(strays, ({ sweep }) => sweep.recipient)
  return [
    ...former.map((address) =>
      stopping(
        `settled orders name the vault ${address} on ${name}, which CHAINS_FILE does not have there, so its payments were not read. ` +
          "Add it to formerVaults of the chain, and run this again"
      )
    ),
    ...[...fees]
      .filter(([address]) => !former.includes(address))
      .map(([address, own]) =>
        stopping(
          `builder fees of ${own.length} sweeps on ${name} went to ${address}, which is no vault of CHAINS_FILE and no builder's payout ` +
            `address: ${own.map(({ sweep }) => sweep.sweepId).join(", ")}. If it was the vault, add it to formerVaults. If it is a builder's, ` +
            "let the builder sign up again with this payout address. Then run this again. If it is neither, accept the fees with " +
            `\`sweep reconcile accept --chain ${id} --reason …\``
        )
      )
  ]
}
