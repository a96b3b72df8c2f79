/**
 * Simulates a transfer of a token on the latest state, and reads the balances of both sides before and after. This observes
 * the token's code itself and does not rely on lists or scanners.
 */
import { Effect, Option, Result } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt, slice } from "viem"
import type * as Address from "../../domain/Address.ts"
import { size } from "../../domain/Hex.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedCall } from "../../ports/shared/Simulation.ts"
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

/** Gas limit of a transfer. Ordinary ones cost less than 100,000, and an expensive token must not burden a batch of sweeps. */
const TRANSFER_GAS = 1_000_000n

/**
 * Fails with {@link TokenDeclined} unless the transfer moves exactly `amount`. It only covers this owner and this recipient.
 * A tax that only pools pay is found when the whole order is simulated.
 */
export const probe = Effect.fn("TransferProbe.probe")(function* (client: ChainClient, { sender, ...transfer }: Probe) {
  const { amount, owner, recipient, token } = transfer
  const balanceOf = (account: Address.Address) => ({
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] })
  })
  const calls = yield* client.simulate(
    [
      balanceOf(owner),
      balanceOf(recipient),
      {
        from: owner,
        to: token,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [recipient, amount] }),
        gas: TRANSFER_GAS
      },
      balanceOf(recipient),
      balanceOf(owner)
    ],
    sender === undefined ? {} : { within: { origin: sender } }
  )
  const [ownerBefore, recipientBefore, moved, recipientAfter, ownerAfter, ...more] = calls
  if (
    ownerBefore === undefined ||
    recipientBefore === undefined ||
    moved === undefined ||
    recipientAfter === undefined ||
    ownerAfter === undefined ||
    more.length > 0
  ) {
    return yield* new ChainUnavailable({
      chainId: client.chain.id,
      method: "eth_call",
      detail: "the answer has another number of calls"
    })
  }
  const verdict = judge(transfer, { ownerBefore, recipientBefore, moved, recipientAfter, ownerAfter })
  return yield* Effect.fromResult(verdict)
})

/** Results of the five calls of a probe, in their order. */
export interface Observation {
  readonly ownerBefore: SimulatedCall
  readonly recipientBefore: SimulatedCall
  readonly moved: SimulatedCall
  readonly recipientAfter: SimulatedCall
  readonly ownerAfter: SimulatedCall
}

/** Fails with {@link TokenDeclined} unless the observation is that of an ordinary transfer. */
export const judge = (
  { amount, token }: Pick<Transfer, "amount" | "token">,
  observed: Observation
): Result.Result<void, TokenDeclined> => {
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
  if (received < amount) return declined("transfer_taxed", `${received} of ${amount} arrive`)
  if (lost > amount) return declined("transfer_taxed", `${lost} are taken for ${amount}`)
  return Result.void
}

const balance = (call: SimulatedCall): Option.Option<bigint> =>
  call.success && size(call.returnData) === 32 ? Option.some(hexToBigInt(call.returnData)) : Option.none()

/** A transfer succeeded if it returns `true`, or nothing as USDT does. The delegate applies the same rule. */
const succeeded = ({ returnData }: SimulatedCall): boolean =>
  returnData === "0x" || (size(returnData) >= 32 && hexToBigInt(slice(returnData, 0, 32)) === 1n)
