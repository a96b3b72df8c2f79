/** The used structures and events of Across's MulticallHandler, which carries out the message of a deposit. */
import { parseAbi, parseAbiParameters } from "viem"

const CALL = "struct Call { address target; bytes callData; uint256 value; }"

/** The message: calls that are made together or not at all, and the account that gets the tokens that they leave. */
export const instructionsAbi = parseAbiParameters([
  "Instructions instructions",
  "struct Instructions { Call[] calls; address fallbackRecipient; }",
  CALL
])

/** Data of `CallsFailed`. */
export const callsAbi = parseAbiParameters(["Call[] calls", CALL])

export const multicallHandlerAbi = parseAbi([
  CALL,
  "event CallsFailed(Call[] calls, address indexed fallbackRecipient)",
  "event DrainedTokens(address indexed recipient, address indexed token, uint256 indexed amount)"
])
