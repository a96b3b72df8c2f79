/** Tokens that a request for a portfolio names beside the listed ones. */
import { Option, Result, Schema } from "effect"
import * as Address from "./Address.ts"

/** Maximum number of tokens of one request. */
export const MOST = 20

const EXPECTED = `expected at most ${MOST} addresses, each 0x followed by 40 hex digits, separated by commas`

const decode = Schema.decodeUnknownOption(Address.NonZeroAddress)

/** Reads the query parameter. Fails with the problem. */
export const read = (text: string | undefined): Result.Result<ReadonlyArray<Address.Address>, string> => {
  const parts = (text ?? "")
    .slice(0, MOST * 50)
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
  const tokens = parts.flatMap((part) => Option.toArray(decode(part)))
  return tokens.length === parts.length && tokens.length <= MOST && (text ?? "").length <= MOST * 50
    ? Result.succeed([...new Set(tokens)])
    : Result.fail(EXPECTED)
}
