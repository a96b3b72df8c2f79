/**
 * What a token really does when its owner moves it: a transfer simulated on the pending state, with the balances of both
 * sides before and after. Lists and scanners have opinions; this is the token's own code.
 */
import { Effect, Option, Result } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt, slice } from "viem"
import type * as Address from "../../domain/Address.ts"
import { size } from "../../domain/Hex.ts"
import { type ChainClient, ChainUnavailable, type SimulatedCall } from "../../ports/shared/Chains.ts"
import { TokenDeclined } from "../../ports/orchestrator/TokenRisk.ts"

export interface Transfer {
  readonly token: Address.Address
  readonly owner: Address.Address
  readonly recipient: Address.Address
  /** In the token's smallest unit. */
  readonly amount: bigint
}

/** An honest transfer costs under 100,000 gas; a token that wants more than this must not burden a batch of sweeps. */
const TRANSFER_GAS = 1_000_000n

/**
 * Fails with {@link TokenDeclined} unless the transfer moves exactly `amount`. It sees what the owner and this recipient
 * would see: a tax on pools alone shows when the whole order is simulated.
 */
export const probe = Effect.fn("TransferProbe.probe")(function* (client: ChainClient, transfer: Transfer) {
  const { amount, owner, recipient, token } = transfer
  const balanceOf = (account: Address.Address) => ({
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] })
  })
  const calls = yield* client.simulate([
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
  ])
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
      method: "eth_simulateV1",
      detail: "another number of calls in the answer"
    })
  }
  const verdict = judge(transfer, { ownerBefore, recipientBefore, moved, recipientAfter, ownerAfter })
  return yield* Effect.fromResult(verdict)
})

/** What the five calls of a probe did, in their order. */
export interface Observation {
  readonly ownerBefore: SimulatedCall
  readonly recipientBefore: SimulatedCall
  readonly moved: SimulatedCall
  readonly recipientAfter: SimulatedCall
  readonly ownerAfter: SimulatedCall
}

/** Whether the observation is that of an honest transfer. */
export const judge = (
  { amount, token }: Pick<Transfer, "amount" | "token">,
  observed: Observation
): Result.Result<void, TokenDeclined> => {
  const declined = (reason: TokenDeclined["reason"], detail: string) =>
    Result.fail(new TokenDeclined({ token, reason, detail }))

  const before = Option.all([balance(observed.ownerBefore), balance(observed.recipientBefore)])
  if (Option.isNone(before)) return declined("not_a_token", "balanceOf does not answer")
  const [ownerBefore, recipientBefore] = before.value
  if (ownerBefore < amount) return declined("insufficient_balance", `the owner holds ${ownerBefore} of ${amount}`)

  if (!observed.moved.success) return declined("transfer_fails", "transfer reverts")
  if (!succeeded(observed.moved)) return declined("transfer_fails", "transfer does not return true")

  const after = Option.all([balance(observed.ownerAfter), balance(observed.recipientAfter)])
  if (Option.isNone(after)) return declined("not_a_token", "balanceOf does not answer after a transfer")
  const [ownerAfter, recipientAfter] = after.value
  const received = recipientAfter - recipientBefore
  const lost = ownerBefore - ownerAfter
  if (received < amount) return declined("transfer_taxed", `${received} of ${amount} arrive`)
  if (lost > amount) return declined("transfer_taxed", `${lost} are taken for ${amount}`)
  return Result.void
}

const balance = (call: SimulatedCall): Option.Option<bigint> =>
  call.success && size(call.returnData) === 32 ? Option.some(hexToBigInt(call.returnData)) : Option.none()

/** As the delegate judges it (and every safe-transfer library): `true`, or nothing at all like USDT. */
const succeeded = ({ returnData }: SimulatedCall): boolean =>
  returnData === "0x" || (size(returnData) >= 32 && hexToBigInt(slice(returnData, 0, 32)) === 1n)
