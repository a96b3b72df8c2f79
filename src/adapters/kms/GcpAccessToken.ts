/**
 * Access tokens for Google Cloud: of a service account whose key is in a file (RFC 7523), or else of the machine's own service account,
 * which the metadata server gives out.
 */
import { Clock, Duration, Effect, FileSystem, Option, Redacted, Ref, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { importPKCS8, SignJWT } from "jose"
import { KmsFailed } from "../evm/keys/RemoteKey.ts"
import * as Exchange from "../http/Exchange.ts"

export interface Options {
  /** Key file of a service account. Default: the metadata server is asked. */
  readonly credentialsFile: string | undefined
  readonly timeoutMillis: number
  /** Base URL of the metadata server. */
  readonly metadataUrl?: string
}

const METADATA_URL = "http://metadata.google.internal"
const METADATA_PATH = "/computeMetadata/v1/instance/service-accounts/default/token"
const SCOPE = "https://www.googleapis.com/auth/cloudkms"
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/** Lifetime of an assertion, in seconds. */
const ASSERTION_SECONDS = 600

/** A token is replaced this long before it expires. */
const MARGIN_MILLIS = 60_000

const CredentialsFile = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.Literal("service_account"),
    client_email: Schema.NonEmptyString,
    private_key: Schema.RedactedFromValue(Schema.NonEmptyString),
    private_key_id: Schema.NonEmptyString,
    token_uri: Schema.NonEmptyString
  })
)
const decodeFile = Schema.decodeEffect(CredentialsFile)
type ServiceAccount = typeof CredentialsFile.Type

const readToken = Exchange.json(
  Schema.Struct({ access_token: Schema.RedactedFromValue(Schema.NonEmptyString), expires_in: Schema.Int })
)

const failed = (detail: string) => new KmsFailed({ detail: `Google Cloud's access token: ${detail}` })

/** Errors of the file's content would quote it. */
const serviceAccount = Effect.fnUntraced(
  function* (path: string) {
    const text = yield* (yield* FileSystem.FileSystem).readFileString(path)
    return yield* decodeFile(text)
  },
  Effect.mapError(() => failed("GOOGLE_APPLICATION_CREDENTIALS is not a readable key file of a service account"))
)

const assertion = Effect.fnUntraced(function* (account: ServiceAccount) {
  const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return yield* Effect.tryPromise({
    try: async () =>
      new SignJWT({ scope: SCOPE })
        .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: account.private_key_id })
        .setIssuer(account.client_email)
        .setAudience(account.token_uri)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + ASSERTION_SECONDS)
        .sign(await importPKCS8(Redacted.value(account.private_key), "RS256")),
    // The cause may quote the key.
    catch: () => failed("the private key of the service account cannot sign")
  })
})

/** Makes `token`, a valid access token, and `forget`, after which the next one is new. */
export const make = Effect.fnUntraced(function* ({ credentialsFile, metadataUrl, timeoutMillis }: Options) {
  const client = yield* HttpClient.HttpClient
  const account = credentialsFile === undefined ? undefined : yield* serviceAccount(credentialsFile)
  const kept = yield* Ref.make(Option.none<{ readonly token: Redacted.Redacted; readonly untilMs: number }>())

  const request =
    account === undefined
      ? Effect.succeed(
          HttpClientRequest.get(`${metadataUrl ?? METADATA_URL}${METADATA_PATH}`).pipe(
            HttpClientRequest.setHeader("metadata-flavor", "Google")
          )
        )
      : Effect.map(assertion(account), (jwt) =>
          HttpClientRequest.post(account.token_uri).pipe(
            HttpClientRequest.bodyUrlParams({ grant_type: GRANT, assertion: jwt })
          )
        )

  const fresh = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const { access_token: token, expires_in: seconds } = yield* Exchange.exchange(
      client,
      yield* request,
      Duration.millis(timeoutMillis),
      (response) => (response.status === 200 ? readToken(response) : Effect.fail(Exchange.unexpected(response)))
    ).pipe(Effect.mapError(({ message }) => failed(message)))
    yield* Ref.set(kept, Option.some({ token, untilMs: nowMs + seconds * 1000 - MARGIN_MILLIS }))
    return token
  })

  return {
    token: Effect.gen(function* () {
      const known = yield* Ref.get(kept)
      const nowMs = yield* Clock.currentTimeMillis
      return Option.isSome(known) && nowMs < known.value.untilMs ? known.value.token : yield* fresh
    }),
    forget: Ref.set(kept, Option.none())
  }
})
