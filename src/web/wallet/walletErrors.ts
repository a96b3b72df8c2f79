/** Failures of a wallet. */

/** The user rejected the request in the wallet (EIP-1193, code 4001). */
export class WalletRejected extends Error {
  override readonly name = "WalletRejected"
}

/** The wallet failed for another reason. */
export class WalletFailed extends Error {
  override readonly name = "WalletFailed"
}

/** Code of an error of EIP-1193. */
export const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** Error codes of wallets for an unsupported method (JSON-RPC, EIP-1474, EIP-1193). */
const UNKNOWN_METHOD = [-32601, -32004, 4200]

/** True for the error of an unsupported method. Some wallets report it only in the message. */
export const isUnknownMethod = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  (("code" in error && UNKNOWN_METHOD.some((code) => code === error.code)) ||
    (error instanceof Error &&
      /method.*(?:not|n't).*(?:support|exist|found|available|know)|unsupported|unknown method/i.test(error.message)))
