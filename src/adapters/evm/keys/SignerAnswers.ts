/** Reads the answers of remote signers. A signed transaction must have every field as it was asked, and nothing else. */
import { Result, Schema } from "effect"
import { parseTransaction } from "viem"
import { type Hex, size } from "../../../domain/Hex.ts"
import type { UnsignedTransaction } from "../../../ports/shared/Transaction.ts"
import * as TransactionRlp from "../codec/TransactionRlp.ts"
import type { Parts } from "./KeyAccount.ts"
import * as ViemSignatures from "./ViemSignatures.ts"

/** The answer is not what was asked. The message names a field and has no value of the answer. */
export class NotAsAsked extends Schema.TaggedError<NotAsAsked>()("NotAsAsked", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const refused = (detail: string): Result.Result<never, NotAsAsked> => Result.fail(new NotAsAsked({ detail }))

type Parsed = ReturnType<typeof parseTransaction>

/** Name of the first field that differs, for people. The bytes decide. */
const differingField = (answer: Parsed, asked: UnsignedTransaction): string => {
  const fields = {
    type: answer.type === (asked.authorizationList.length === 0 ? "eip1559" : "eip7702"),
    chainId: answer.chainId === asked.chainId,
    nonce: BigInt(answer.nonce ?? 0) === asked.nonce,
    to: answer.to?.toLowerCase() === asked.to.toLowerCase(),
    value: (answer.value ?? 0n) === (asked.value ?? 0n),
    data: (answer.data ?? "0x").toLowerCase() === asked.data.toLowerCase(),
    gas: answer.gas === asked.gas,
    maxFeePerGas: answer.maxFeePerGas === asked.maxFeePerGas,
    maxPriorityFeePerGas: (answer.maxPriorityFeePerGas ?? 0n) === asked.maxPriorityFeePerGas
  }
  return Object.entries(fields).find(([, isEqual]) => !isEqual)?.[0] ?? "a list or the encoding"
}

const parsed = (raw: Hex): Parsed | undefined => {
  try {
    return parseTransaction(raw)
  } catch {
    return undefined
  }
}

const word = (value: Hex): Hex => `0x${value.slice(2).padStart(64, "0")}`

/**
 * Signature of a signed transaction that has exactly the asked fields: signing the asked transaction with it gives the same bytes.
 * The sender is not checked here. A high `s` is refused (EIP-2).
 */
export const transactionSignature = (raw: Hex, asked: UnsignedTransaction): Result.Result<Parts, NotAsAsked> => {
  const answer = parsed(raw)
  if (answer?.r === undefined || answer.s === undefined || answer.yParity === undefined) {
    return refused("the answer is not a signed transaction")
  }
  const yParity = answer.yParity === 1 ? 1 : 0
  const parts: Parts = { r: word(answer.r), s: word(answer.s), yParity }
  if (TransactionRlp.serialize(asked, parts) !== raw.toLowerCase()) {
    return refused(`the signed transaction differs from the asked one in ${differingField(answer, asked)}`)
  }
  return ViemSignatures.hasLowS(parts) ? Result.succeed(parts) : refused("the signature has a high s")
}

/** A signature of 65 bytes with a low `s`. */
export const signature = (raw: Hex): Result.Result<Parts, NotAsAsked> => {
  if (size(raw) !== 65) return refused("the answer is not a signature of 65 bytes")
  const r: Hex = `0x${raw.slice(2, 66)}`
  const s: Hex = `0x${raw.slice(66, 130)}`
  const v = Number.parseInt(raw.slice(130), 16)
  const yParity = v >= 27 ? v - 27 : v
  if (yParity !== 0 && yParity !== 1) return refused("the signature's parity is none")
  return ViemSignatures.hasLowS({ s }) ? Result.succeed({ r, s, yParity }) : refused("the signature has a high s")
}
