/**
 * Meaning of the errors of nodes to reads and calls. Only `code: 3` for a revert is standard, so the messages of anvil, geth,
 * erigon, nethermind, besu and reth are matched. An error without a match is unknown and never counts as a refusal.
 */
import { Exit, Option, Predicate } from "effect"
import type { Hex } from "../../../domain/Hex.ts"
import * as LogRefusals from "./LogRefusals.ts"
import type { RpcError, RpcFailure } from "./JsonRpc.ts"

/** True when the call was executed and failed, so that every endpoint would fail: a revert, a halt, or too little balance. */
const EXECUTION_FAILURE =
  /revert|out of ?gas|gas required exceeds|gas spent exceeded|invalid opcode|invalid jump|stack (underflow|overflow|limit)|VM execution error|VMExecutionError|bad instruction|write protection|insufficient ?(funds|balance)|EVM error|precompile/i

export const isExecutionFailure = (error: RpcError): boolean => error.code === 3 || EXECUTION_FAILURE.test(error.text)

/** True when a contract reverted. It has chosen the rest of the text, which then proves nothing. */
export const isRevert = ({ code, text }: Pick<RpcError, "code" | "text">): boolean => code === 3 || /revert/i.test(text)

const OUT_OF_GAS = /out of ?gas|gas required exceeds|gas spent exceeded/i

/** True when an execution failure is for want of gas. */
export const isOutOfGas = (error: RpcError): boolean => !isRevert(error) && OUT_OF_GAS.test(error.text)

const UNKNOWN_BLOCK =
  /(header|block|resource)( for hash)?( \S+)? (was )?not found|unknown block|invalid block (tag|hash)|block_?not_?found|not (currently )?canonical|could not find block/i

/** True when the node does not have the block that a request names, or does not count it as canonical. */
export const isUnknownBlock = (failure: RpcFailure): boolean =>
  failure._tag === "RpcError" && failure.isBlockShown !== true && !isRevert(failure) && UNKNOWN_BLOCK.test(failure.text)

const HEX_IN_TEXT = /0x(?:[0-9a-fA-F]{2})*/

/** Revert data of an error: a string in `data`, or in its `data`, `result` or `originalError`. */
export const revertData = (data: unknown): Hex => {
  if (typeof data === "string") return (HEX_IN_TEXT.exec(data)?.[0] ?? "0x") as Hex
  if (!Predicate.isObject(data)) return "0x"
  if ("data" in data) return revertData(data.data)
  if ("result" in data) return revertData(data.result)
  return "originalError" in data ? revertData(data.originalError) : "0x"
}

/** "Invalid Request" of JSON-RPC 2.0. A single well-formed call never gets this answer. */
const INVALID_REQUEST = -32_600

const BATCH_REFUSAL = /\bbatch|response (is )?too (large|big)/i

/**
 * True when the error concerns the batch and not the call. A contract chooses the text of its revert. Alchemy refuses wide ranges of
 * logs by the code of an invalid request.
 */
export const isBatchRefusal = (exit: Exit.Exit<unknown, RpcFailure>): boolean =>
  Option.exists(
    Exit.findErrorOption(exit),
    (failure) =>
      failure._tag === "EndpointFailed" ||
      (failure._tag === "RpcError" &&
        !isExecutionFailure(failure) &&
        (failure.code === INVALID_REQUEST || BATCH_REFUSAL.test(failure.text)) &&
        LogRefusals.refusalOf(failure)?.because !== "range")
  )
