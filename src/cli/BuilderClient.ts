/** The builder backend's admin API, for operators' commands. */
import { Config, Console, Effect, Option, Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { BuilderApi } from "../api/builder/BuilderApi.ts"
import { PaymentUnproven } from "../api/builder/PayoutErrors.ts"
import { orchestrator } from "../config/Orchestrator.ts"
import * as LocalNetwork from "./LocalNetwork.ts"
import { UsageError } from "./UsageError.ts"

/** The backend refused, or cannot be reached; the message says what to do. */
export class BackendFailed extends Schema.TaggedError<BackendFailed>()("BackendFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const settings = Config.all({ url: orchestrator.builderUrl.config, token: orchestrator.builderToken.config })

/** As set; else of the local network, which is then named on standard error. */
const location = Effect.gen(function* () {
  const { token, url } = yield* settings
  if (Option.isSome(url) && Option.isSome(token)) return { url: url.value.href, token: token.value }
  if (Option.isSome(url))
    return yield* new UsageError({ detail: "BUILDER_ADMIN_TOKEN must hold the ADMIN_TOKEN of the backend" })
  if (Option.isSome(token))
    return yield* new UsageError({ detail: "BUILDER_URL must say where the builder backend is" })
  const local = yield* LocalNetwork.running
  if (Option.isNone(local)) {
    return yield* new UsageError({
      detail: "set BUILDER_URL and BUILDER_ADMIN_TOKEN to those of the builder backend, or start `./sweep dev`"
    })
  }
  const { file, info } = local.value
  yield* Console.error(`using the local network of ${file}: ${info.builderUrl}`)
  return { url: info.builderUrl, token: Redacted.make(info.builderAdminToken) }
})

/** What of the contract's errors commands explain. */
interface Refusal {
  readonly _tag: string
  readonly error?: unknown
}

/** However a call of the typed client fails. */
export type Failure = Refusal | HttpClientError.HttpClientError

const unreachable = (url: string, { reason }: HttpClientError.HttpClientError): string =>
  reason._tag === "TransportError"
    ? `the builder backend does not answer at ${url}: is it running, and is BUILDER_URL right?`
    : `${url} does not answer as a builder backend does: is BUILDER_URL right?`

const issues = (error: unknown): string => {
  const { issues: found } = Option.getOrElse(decodeProblem(error), () => ({ issues: [] }))
  return found.map(({ message, path }) => [...path, message].join(": ")).join("; ")
}

const decodeProblem = Schema.decodeUnknownOption(
  Schema.Struct({ issues: Schema.Array(Schema.Struct({ path: Schema.Array(Schema.String), message: Schema.String })) })
)

const UNPROVEN: Readonly<Record<PaymentUnproven["reason"], string>> = {
  not_mined: "the backend's node does not know the transaction, or it is not mined yet",
  reverted: "the transaction reverted",
  not_confirmed: "the transaction is not deep enough yet; try again in a moment",
  not_paid: "the transaction does not transfer every line's amount out of the vault; missing"
}

const unproven = ({ builderIds, reason }: PaymentUnproven): string =>
  [UNPROVEN[reason], ...(builderIds.length > 0 ? [builderIds.join(", ")] : [])].join(": ")

const WORDS: Readonly<Record<string, string>> = {
  Unauthorized:
    "the ADMIN token is wrong: set BUILDER_ADMIN_TOKEN to the backend's ADMIN_TOKEN; behind a gateway it opens no console",
  NotFound: "there is none of this id",
  AlreadyRegistered: "the id is taken, or the wallet already owns a builder",
  NothingOwed: "no builder is owed as much in this token on this chain",
  PayoutClosed: "the batch is not open any more",
  PaymentInFlight: "a signed payment of the batch may still be mined: `sweep payouts send` goes on with it",
  PaymentTaken: "the transaction pays another batch of the same token",
  Unavailable: "the backend's database is away: try again later",
  UpstreamFailed: "the chain does not answer the backend: try again later",
  InternalError: "the backend failed; its log says why",
  BodyTooLarge: "the batch has too many lines for one payment: fail it, and open one with a higher threshold"
}

/** One sentence for a failure of the typed client. */
export const explain = (url: string, failure: Failure): string => {
  if (isClientError(failure)) return unreachable(url, failure)
  if (failure._tag === "InvalidRequest") return issues(failure.error)
  if (failure instanceof PaymentUnproven) return unproven(failure)
  return WORDS[failure._tag] ?? `${url} does not answer as this version of the command expects (${failure._tag})`
}

const isClientError = (failure: Failure): failure is HttpClientError.HttpClientError =>
  failure._tag === "HttpClientError"

const clientAt = ({ token, url }: { readonly url: string; readonly token: Redacted.Redacted }) =>
  HttpApiClient.make(BuilderApi, {
    transformClient: HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(token))
    )
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** The admin console's typed client, and what makes its failures sentences. */
export const connect = Effect.gen(function* () {
  const where = yield* location
  const { console } = yield* clientAt(where)
  const explained = <A, E extends Failure, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, BackendFailed, R> =>
    Effect.mapError(effect, (failure) => new BackendFailed({ detail: explain(where.url, failure) }))
  return { console, explained, url: where.url }
})

export type Connection = Effect.Success<typeof connect>
