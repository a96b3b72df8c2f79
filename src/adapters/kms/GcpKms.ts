/**
 * Keys of Google Cloud KMS (`EC_SIGN_SECP256K1_SHA256`) by its REST interface. Requests and answers carry CRC32C checksums, which both
 * sides check (Cloud KMS, "Data integrity guidelines").
 */
import { Duration, Effect, Schedule, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { crc32 } from "hash-wasm"
import type { KmsKey } from "../../domain/KmsKey.ts"
import * as KmsAnswers from "../evm/keys/KmsAnswers.ts"
import { KmsFailed, type RemoteKey } from "../evm/keys/RemoteKey.ts"
import * as Exchange from "../http/Exchange.ts"
import * as GcpAccessToken from "./GcpAccessToken.ts"

export interface Options extends GcpAccessToken.Options {
  /** Base URL of the service. */
  readonly endpoint?: string
}

const ENDPOINT = "https://cloudkms.googleapis.com"

/** Reflected polynomial of CRC32C (Castagnoli). */
const CASTAGNOLI = 0x82f63b78

/** Decimal CRC32C of bytes, as an int64 is written in JSON. */
const checksum = (bytes: Uint8Array | string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crc32(bytes, CASTAGNOLI)),
    (digits) => String(Number.parseInt(digits, 16))
  )

/** Repeats of a request that was throttled, that failed or that had an expired token. */
const REPEATS = { times: 2, schedule: Schedule.jittered(Schedule.exponential("200 millis")) }

const readPublicKey = Exchange.json(
  Schema.Struct({ name: Schema.String, algorithm: Schema.String, pem: Schema.String, pemCrc32c: Schema.String })
)
const readSignature = Exchange.json(
  Schema.Struct({
    name: Schema.String,
    signature: Schema.Uint8ArrayFromBase64,
    signatureCrc32c: Schema.String,
    verifiedDigestCrc32c: Schema.Boolean
  })
)

const failed = (detail: string) => new KmsFailed({ detail: `Google Cloud KMS: ${detail}` })

/** The answer to another attempt may be better. */
class Passing extends Schema.TaggedError<Passing>()("Passing", { status: Schema.Int }) {}

type Read<A> = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, Exchange.ExchangeFailed>

const reading =
  <A>(read: Read<A>) =>
  (response: HttpClientResponse.HttpClientResponse): Effect.Effect<A, Exchange.ExchangeFailed | Passing> => {
    const { status } = response
    if (status === 200) return read(response)
    return status === 401 || status === 429 || status >= 500
      ? Effect.fail(new Passing({ status }))
      : Effect.fail(Exchange.unexpected(response))
  }

/** Makes `ask(request, read)`, which authorizes and repeats a request within the timeout. */
const makeAsk = Effect.fnUntraced(function* ({ endpoint = ENDPOINT, ...options }: Options) {
  const client = yield* HttpClient.HttpClient
  const access = yield* GcpAccessToken.make(options)
  const { timeoutMillis } = options

  return <A>(request: HttpClientRequest.HttpClientRequest, read: Read<A>): Effect.Effect<A, KmsFailed> =>
    Effect.gen(function* () {
      const authorized = request.pipe(
        HttpClientRequest.prependUrl(`${endpoint}/v1`),
        HttpClientRequest.bearerToken(yield* access.token)
      )
      return yield* Exchange.exchange(client, authorized, Duration.millis(timeoutMillis), reading(read))
    }).pipe(
      Effect.tapError((error) => (error._tag === "Passing" && error.status === 401 ? access.forget : Effect.void)),
      Effect.retry({ ...REPEATS, while: (error) => error._tag === "Passing" }),
      Effect.mapError((error) => {
        if (error._tag === "KmsFailed") return error
        return failed(error._tag === "Passing" ? `HTTP ${error.status}` : error.message)
      }),
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.fail(failed(`no answer within ${timeoutMillis} ms`))
      })
    )
})

/** Fails unless the answer is of the key and as it was sent. */
const requireIntact = Effect.fnUntraced(function* (answer: {
  readonly isOfKey: boolean
  readonly bytes: Uint8Array | string
  readonly crc32c: string
}) {
  if (!answer.isOfKey) return yield* failed("the answer is of another key")
  if ((yield* checksum(answer.bytes)) !== answer.crc32c) return yield* failed("the answer was damaged on its way")
})

/** A key version of Google Cloud KMS. */
export const make = Effect.fnUntraced(function* (
  { version }: Pick<Extract<KmsKey, { readonly provider: "gcp" }>, "version">,
  options: Options
) {
  const ask = yield* makeAsk(options)

  return {
    publicKey: Effect.gen(function* () {
      const { algorithm, name, pem, pemCrc32c } = yield* ask(
        HttpClientRequest.get(`/${version}/publicKey`),
        readPublicKey
      )
      yield* requireIntact({ isOfKey: name === version, bytes: pem, crc32c: pemCrc32c })
      if (algorithm !== "EC_SIGN_SECP256K1_SHA256") {
        return yield* failed("the key's algorithm is not EC_SIGN_SECP256K1_SHA256")
      }
      return yield* Effect.mapError(Effect.fromResult(KmsAnswers.publicKeyOfPem(pem)), ({ message }) => failed(message))
    }).pipe(Effect.withSpan("GcpKms.publicKey")),
    sign: Effect.fn("GcpKms.sign")(function* (digest: Uint8Array) {
      const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`/${version}:asymmetricSign`), {
        digest: { sha256: Buffer.from(digest).toString("base64") },
        digestCrc32c: yield* checksum(digest)
      })
      const { name, signature, signatureCrc32c, verifiedDigestCrc32c } = yield* ask(request, readSignature)
      yield* requireIntact({ isOfKey: name === version, bytes: signature, crc32c: signatureCrc32c })
      return verifiedDigestCrc32c ? signature : yield* failed("the service did not check the digest's checksum")
    })
  } satisfies RemoteKey
})
