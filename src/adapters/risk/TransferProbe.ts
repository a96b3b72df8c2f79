/**
 * Simulates a transfer of a token on the latest state, and reads the balances of both sides before and after. This observes
 * the token's code itself and does not rely on lists or scanners.
 */
import { Array, Effect, Exit, Option, Request, RequestResolver, Result } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt, prepareEncodeFunctionData, slice } from "viem"
import type * as Address from "../../domain/Address.ts"
import { size } from "../../domain/Hex.ts"
import { takenBps } from "../../domain/TransferFee.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedCall, SimulatedStep } from "../../ports/shared/Simulation.ts"
import { TokenDeclined } from "../../ports/orchestrator/TokenRisk.ts"

export interface Transfer {
  readonly token: Address.Address
  readonly owner: Address.Address
  readonly recipient: Address.Address
  /** In the token's smallest unit. */
  readonly amount: bigint
}

/** A transfer inside a transaction that this account sends, as a sweep's is. A token may read it. */
interface Probe extends Transfer {
  readonly sender: Address.Address | undefined
}

// With their selectors, which viem would hash for every call.
const BALANCE_OF = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "balanceOf" })
const TRANSFER = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "transfer" })

/** Gas limits of a transfer and of the read of a balance. Ordinary ones need a tenth, and an expensive token must not burden a batch. */
const TRANSFER_GAS = 1_000_000n
const READ_GAS = 500_000n

/** Probes in one simulation. They need 29 million gas together, and many public nodes limit a call to 50 million. */
const TOGETHER = 8

class Probing extends Request.Class<
  { readonly client: ChainClient; readonly probe: Probe },
  number,
  TokenDeclined | ChainUnavailable
> {}

type Entry = Request.Entry<Probing>

const stepsOf = ({ amount, owner, recipient, token: to }: Probe): ReadonlyArray<SimulatedStep> => {
  const balanceOf = (account: Address.Address): SimulatedStep => ({
    to,
    data: encodeFunctionData({ ...BALANCE_OF, args: [account] }),
    gas: READ_GAS
  })
  const data = encodeFunctionData({ ...TRANSFER, args: [recipient, amount] })
  return [
    balanceOf(owner),
    balanceOf(recipient),
    { from: owner, to, data, gas: TRANSFER_GAS },
    balanceOf(recipient),
    balanceOf(owner)
  ]
}

/** Steps of a probe. */
const STEPS = 5

const observationOf = ([
  ownerBefore,
  recipientBefore,
  moved,
  recipientAfter,
  ownerAfter
]: ReadonlyArray<SimulatedCall>) =>
  ownerBefore === undefined ||
  recipientBefore === undefined ||
  moved === undefined ||
  recipientAfter === undefined ||
  ownerAfter === undefined
    ? undefined
    : ({ ownerBefore, recipientBefore, moved, recipientAfter, ownerAfter } satisfies Observation)

/** The verdict of each probe, by one simulation. */
const judgeAll = Effect.fnUntraced(function* ({ chain, simulate }: ChainClient, probes: ReadonlyArray<Probe>) {
  const origin = probes[0]?.sender
  const calls = yield* simulate(probes.flatMap(stepsOf), origin === undefined ? {} : { within: { origin } })
  const verdicts = probes.flatMap((probe, index) => {
    const observed = observationOf(calls.slice(STEPS * index, STEPS * (index + 1)))
    return observed === undefined ? [] : [judge(probe, observed)]
  })
  if (calls.length === STEPS * probes.length && verdicts.length === probes.length) return verdicts
  return yield* new ChainUnavailable({
    chainId: chain.id,
    method: "eth_call",
    detail: "the answer has another number of calls"
  })
})

/**
 * Answers the entries by one simulation. Only whole transfers of a shared one count: a node may refuse what one token does, and a token may
 * take another one that the owner allowed it to take. The others have simulations of their own.
 */
const answer = (client: ChainClient, entries: ReadonlyArray<Entry>): Effect.Effect<void> => {
  const end = (entry: Entry, verdict: Result.Result<number, TokenDeclined | ChainUnavailable>) => {
    if (Result.isSuccess(verdict) && (verdict.success === 0 || entries.length === 1)) {
      return Effect.sync(() => entry.completeUnsafe(Exit.succeed(verdict.success)))
    }
    if (entries.length > 1) return answer(client, [entry])
    return Result.isSuccess(verdict) ? Effect.void : Effect.sync(() => entry.completeUnsafe(Exit.fail(verdict.failure)))
  }
  const probes = entries.map(({ request }) => request.probe)
  return Effect.flatMap(Effect.result(judgeAll(client, probes)), (judged) =>
    Effect.forEach(
      entries,
      (entry, index) =>
        end(
          entry,
          Result.flatMap(judged, (verdicts) => verdicts[index] ?? Result.succeed(0))
        ),
      { concurrency: "unbounded", discard: true }
    )
  )
}

/** Simulations of the entries. The probes of one token change its balances, so they are in different ones. */
const simulationsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<Entry>> => {
  const rounds: Array<Array<Entry>> = []
  const probed = new Map<Address.Address, number>()
  for (const entry of entries) {
    const { token } = entry.request.probe
    const round = probed.get(token) ?? 0
    probed.set(token, round + 1)
    ;(rounds[round] ??= []).push(entry)
  }
  return rounds.flatMap((round) => Array.chunksOf(round, TOGETHER))
}

/**
 * Makes `probe(client, probe)`, which returns the part of `amount` that the token takes from the transfer, in basis points, and fails with
 * {@link TokenDeclined} if the transfer fails or costs the owner more than `amount`. It only covers this owner and this recipient. A fee
 * that only pools pay is found when the whole order is simulated.
 *
 * Probes of one owner that are asked for at the same moment share simulations. Balances are read right before and right after each
 * transfer, and the gas of every step is limited.
 */
export const make = () => {
  const resolver = RequestResolver.makeGrouped<Probing, string>({
    key: ({ request: { client, probe } }) => [client.chain.id, probe.sender, probe.owner].join(" "),
    resolver: ([first, ...others]) =>
      Effect.forEach(simulationsOf([first, ...others]), (entries) => answer(first.request.client, entries), {
        concurrency: "unbounded",
        discard: true
      })
  })
  return Effect.fn("TransferProbe.probe")((client: ChainClient, probe: Probe) =>
    Effect.request(new Probing({ client, probe }), resolver)
  )
}

/** Results of the five calls of a probe, in their order. */
export interface Observation {
  readonly ownerBefore: SimulatedCall
  readonly recipientBefore: SimulatedCall
  readonly moved: SimulatedCall
  readonly recipientAfter: SimulatedCall
  readonly ownerAfter: SimulatedCall
}

/** Part of the amount that did not arrive, in basis points. Fails with {@link TokenDeclined} unless the token can be moved. */
export const judge = (
  { amount, token }: Pick<Transfer, "amount" | "token">,
  observed: Observation
): Result.Result<number, TokenDeclined> => {
  const declined = (reason: TokenDeclined["reason"], detail: string) =>
    Result.fail(new TokenDeclined({ token, reason, detail }))

  const before = Option.all([balance(observed.ownerBefore), balance(observed.recipientBefore)])
  if (Option.isNone(before)) return declined("not_a_token", "balanceOf returns no balance")
  const [ownerBefore, recipientBefore] = before.value
  if (ownerBefore < amount) return declined("insufficient_balance", `the owner holds ${ownerBefore} of ${amount}`)

  if (!observed.moved.success) return declined("transfer_fails", "transfer reverts")
  if (!succeeded(observed.moved)) return declined("transfer_fails", "transfer does not return true")

  const after = Option.all([balance(observed.ownerAfter), balance(observed.recipientAfter)])
  if (Option.isNone(after)) return declined("not_a_token", "balanceOf returns no balance after a transfer")
  const [ownerAfter, recipientAfter] = after.value
  const received = recipientAfter - recipientBefore
  const lost = ownerBefore - ownerAfter
  // An order spends its amount exactly, so it reverts.
  if (lost > amount) return declined("transfer_taxed", `${lost} are taken for ${amount}`)
  return received > 0n || amount === 0n
    ? Result.succeed(takenBps(amount, received))
    : declined("transfer_taxed", `nothing of ${amount} arrives`)
}

const balance = (call: SimulatedCall): Option.Option<bigint> =>
  call.success && size(call.returnData) === 32 ? Option.some(hexToBigInt(call.returnData)) : Option.none()

/** A transfer succeeded if it returns `true`, or nothing as USDT does. The delegate applies the same rule. */
const succeeded = ({ returnData }: SimulatedCall): boolean =>
  returnData === "0x" || (size(returnData) >= 32 && hexToBigInt(slice(returnData, 0, 32)) === 1n)
