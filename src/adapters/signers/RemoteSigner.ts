/**
 * Accounts of a remote signer that speaks JSON-RPC as Web3Signer does: `eth_signTransaction` and `eth_signTypedData`. It is not trusted
 * with the content: every answer must be exactly the asked transaction, signed by the account.
 */
import { Duration, Effect, type Redacted, type Result, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { numberToHex } from "viem"
import type * as Address from "../../domain/Address.ts"
import { Hex } from "../../domain/Hex.ts"
import { CHAIN_ID } from "../../domain/KeyReference.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import * as Exchange from "../http/Exchange.ts"
import * as KeyAccount from "../evm/keys/KeyAccount.ts"
import * as SignerAnswers from "../evm/keys/SignerAnswers.ts"

export interface Options {
  /** `{chainId}` stands for the id of the transaction's chain. */
  readonly url: string
  readonly address: Address.Address
  /** Bearer token of the signer. Default: none. */
  readonly token?: Redacted.Redacted | undefined
  /** Timeout of a request in milliseconds. */
  readonly timeoutMillis: number
}

/** geth's `eth_signTransaction` returns an object, and Web3Signer's the bytes. */
const Answer = Schema.Union([
  Schema.Struct({ result: Schema.Union([Hex, Schema.Struct({ raw: Hex })]) }),
  Schema.Struct({ error: Schema.Struct({ code: Schema.Int }) })
])
const readAnswer = Exchange.json(Answer)

const failed = (detail: string) => new KeyAccount.KeyFailed({ detail: `remote signer: ${detail}` })

/** Parameters of `eth_signTransaction`. Quantities are hex. */
export const parametersOf = (from: Address.Address, transaction: UnsignedTransaction) => ({
  from,
  to: transaction.to,
  type: transaction.authorizationList.length === 0 ? "0x2" : "0x4",
  chainId: numberToHex(transaction.chainId),
  nonce: numberToHex(transaction.nonce),
  gas: numberToHex(transaction.gas),
  maxFeePerGas: numberToHex(transaction.maxFeePerGas),
  maxPriorityFeePerGas: numberToHex(transaction.maxPriorityFeePerGas),
  value: numberToHex(transaction.value ?? 0n),
  data: transaction.data,
  ...(transaction.authorizationList.length === 0
    ? {}
    : {
        authorizationList: transaction.authorizationList.map(({ address, chainId, nonce, r, s, yParity }) => ({
          address,
          chainId: numberToHex(chainId),
          nonce: numberToHex(nonce),
          yParity: numberToHex(yParity),
          r,
          s
        }))
      })
})

const makeAsk = Effect.fnUntraced(function* ({ timeoutMillis, token, url }: Options) {
  const client = yield* HttpClient.HttpClient

  return Effect.fnUntraced(function* (chainId: number, method: string, params: ReadonlyArray<unknown>) {
    const plain = HttpClientRequest.post(url.replaceAll(CHAIN_ID, String(chainId))).pipe(
      HttpClientRequest.bodyJsonUnsafe({ jsonrpc: "2.0", id: 1, method, params })
    )
    const request = token === undefined ? plain : HttpClientRequest.bearerToken(plain, token)
    const answer = yield* Exchange.exchange(client, request, Duration.millis(timeoutMillis), (response) =>
      response.status === 200 ? readAnswer(response) : Effect.fail(Exchange.unexpected(response))
    ).pipe(
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.mapError(({ message }) => failed(message))
    )
    if ("error" in answer) return yield* failed(`it refuses ${method} with code ${answer.error.code}`)
    return typeof answer.result === "string" ? answer.result : answer.result.raw
  })
})

/** An account of the signer. It cannot sign authorizations (EIP-7702), for which signers have no method. */
export const account = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<KeyAccount.KeyAccount, never, HttpClient.HttpClient> {
  const { address } = options
  const ask = yield* makeAsk(options)

  const usable = (read: Result.Result<KeyAccount.Parts, SignerAnswers.NotAsAsked>) =>
    Effect.mapError(Effect.fromResult(read), ({ message }) => failed(message))

  return {
    address,
    signTransaction: Effect.fnUntraced(function* (transaction) {
      const raw = yield* ask(transaction.chainId, "eth_signTransaction", [parametersOf(address, transaction)])
      const signature = yield* usable(SignerAnswers.transactionSignature(raw, transaction))
      if (!(yield* KeyAccount.isBy(address, KeyAccount.transactionDigest(transaction), signature))) {
        return yield* failed("the transaction is signed by another account")
      }
      return KeyAccount.signedTransaction(transaction, signature)
    }),
    signTypedData: Effect.fnUntraced(function* ({ chainId, digest, json }) {
      const raw = yield* ask(chainId, "eth_signTypedData", [address, JSON.parse(json())])
      const signature = yield* usable(SignerAnswers.signature(raw))
      return (yield* KeyAccount.isBy(address, digest, signature))
        ? signature
        : yield* failed("the data is signed by another account, or other data is signed")
    }),
    signAuthorization: () => Effect.fail(failed("it has no method for authorizations (EIP-7702)"))
  } satisfies KeyAccount.KeyAccount
})
