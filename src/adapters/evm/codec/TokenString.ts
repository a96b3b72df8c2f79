/** Names and symbols that tokens return: strings, or bytes32 of early tokens. Untrusted. */
import { Option } from "effect"
import { decodeFunctionResult, erc20Abi, hexToBytes, trim } from "viem"
import { type Hex, size } from "../../../domain/Hex.ts"
import type * as Multicall3 from "./Multicall3.ts"

/** Longest encoded text that is decoded, in bytes. */
const MAX_TEXT_BYTES = 4_096

const decodeString = Option.liftThrowable((data: Hex) =>
  decodeFunctionResult({ abi: erc20Abi, functionName: "symbol", data })
)

/** Early tokens such as MKR return a zero-padded bytes32. `trim` of a hex string would also cut half of a last byte such as 0x50. */
const decodeBytes32 = Option.liftThrowable((word: Hex) =>
  new TextDecoder("utf-8", { fatal: true }).decode(trim(hexToBytes(word), { dir: "right" }))
)

/** The text that `symbol` or `name` returned. Empty if it is none. */
export const textOf = (answer: Multicall3.Answer): string =>
  answer.pipe(
    Option.filter((data) => size(data) <= MAX_TEXT_BYTES),
    Option.flatMap((data) => (size(data) === 32 ? decodeBytes32(data) : decodeString(data))),
    Option.getOrElse(() => "")
  )
