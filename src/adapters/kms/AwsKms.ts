/**
 * Keys of AWS KMS (`ECC_SECG_P256K1`, `SIGN_VERIFY`) by its own client, which signs requests (SigV4), repeats throttled and failed ones,
 * and finds credentials as every AWS program does: environment, web identity, container, instance.
 */
import type { KMSClient } from "@aws-sdk/client-kms"
import { Effect } from "effect"
import type { KmsKey } from "../../domain/KmsKey.ts"
import { KmsFailed, type RemoteKey } from "../evm/keys/RemoteKey.ts"

export interface Options {
  /** Timeout of a request with all its attempts. */
  readonly timeoutMillis: number
  /** Base URL of the service. Default: that of the region. */
  readonly endpoint?: string
}

/** Attempts of a request, the first included. */
const MAX_ATTEMPTS = 3

/** Names of errors are letters. Anything else may quote the request or the answer. */
const nameOf = (cause: unknown): string =>
  cause instanceof Error && /^[A-Za-z]{1,64}$/.test(cause.name) ? cause.name : "unknown cause"

const asks = (timeoutMillis: number) => {
  const failed = (detail: string) => new KmsFailed({ detail: `AWS KMS: ${detail}` })
  return {
    failed,
    ask: <A>(send: (abortSignal: AbortSignal) => Promise<A>): Effect.Effect<A, KmsFailed> =>
      Effect.tryPromise({ try: send, catch: (cause) => failed(nameOf(cause)) }).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMillis,
          orElse: () => Effect.fail(failed(`no answer within ${timeoutMillis} ms`))
        })
      )
  }
}

/** A key of AWS KMS. Connections are closed with the scope. */
export const make = Effect.fnUntraced(function* (
  { keyId, region }: Omit<Extract<KmsKey, { readonly provider: "aws" }>, "provider">,
  { timeoutMillis, ...endpoint }: Options
) {
  // Imported here, so that services without such a key do not load the client.
  const sdk = yield* Effect.promise(() => import("@aws-sdk/client-kms"))
  const client: KMSClient = yield* Effect.acquireRelease(
    Effect.sync(() => new sdk.KMSClient({ region, ...endpoint, maxAttempts: MAX_ATTEMPTS, retryMode: "standard" })),
    (open) => Effect.sync(() => open.destroy())
  )
  const { ask, failed } = asks(timeoutMillis)

  return {
    publicKey: Effect.gen(function* () {
      const { KeySpec, KeyUsage, PublicKey } = yield* ask((abortSignal) =>
        client.send(new sdk.GetPublicKeyCommand({ KeyId: keyId }), { abortSignal })
      )
      if (KeySpec !== "ECC_SECG_P256K1" || KeyUsage !== "SIGN_VERIFY") {
        return yield* failed("the key's spec is not ECC_SECG_P256K1, or its usage is not SIGN_VERIFY")
      }
      return PublicKey ?? (yield* failed("the answer has no public key"))
    }).pipe(Effect.withSpan("AwsKms.publicKey")),
    sign: Effect.fn("AwsKms.sign")(function* (digest: Uint8Array) {
      const command = new sdk.SignCommand({
        KeyId: keyId,
        Message: digest,
        MessageType: "DIGEST",
        SigningAlgorithm: "ECDSA_SHA_256"
      })
      const { Signature } = yield* ask((abortSignal) => client.send(command, { abortSignal }))
      return Signature ?? (yield* failed("the answer has no signature"))
    })
  } satisfies RemoteKey
})
