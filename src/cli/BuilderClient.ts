/** Client of the builder backend's admin API, for operators' commands. */
import { Effect, Option, Schema } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { BuilderApi } from "../api/builder/BuilderApi.ts"
import { NothingOwed, PaymentTaken, PaymentUnproven } from "../api/builder/PayoutErrors.ts"
import { orchestrator } from "../config/Orchestrator.ts"
import { asLeftOut } from "./PayoutTables.ts"
import * as ServiceLocation from "./ServiceLocation.ts"

/** The backend rejected a request or cannot be reached. The message says what to do. */
export class BuilderCallFailed extends Schema.TaggedError<BuilderCallFailed>()("BuilderCallFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

const service: ServiceLocation.Service = {
  name: "builder backend",
  url: { name: "BUILDER_URL", config: orchestrator.builderUrl.config },
  token: { name: "BUILDER_ADMIN_TOKEN", config: orchestrator.builderToken.config },
  tokenOfService: "ADMIN_TOKEN",
  local: ({ builderAdminToken, builderUrl }) => ({ url: builderUrl, token: builderAdminToken })
}

/** The part of an error of the API that commands explain. */
interface Refusal {
  readonly _tag: string
  readonly error?: unknown
}

/** Any failure of a call of the typed client. */
export type Failure = Refusal | HttpClientError.HttpClientError

const unreachable = (url: string, { reason }: HttpClientError.HttpClientError): string =>
  reason._tag === "TransportError"
    ? `the builder backend does not answer at ${url}. Check that it is running and that BUILDER_URL is correct`
    : `${url} does not answer like a builder backend. Check BUILDER_URL`

const issues = (error: unknown): string => {
  const { issues: found } = Option.getOrElse(decodeProblem(error), () => ({ issues: [] }))
  return found.map(({ message, path }) => [...path, message].join(": ")).join("; ")
}

const decodeProblem = Schema.decodeUnknownOption(
  Schema.Struct({ issues: Schema.Array(Schema.Struct({ path: Schema.Array(Schema.String), message: Schema.String })) })
)

const UNPROVEN: Readonly<Record<PaymentUnproven["reason"], string>> = {
  not_mined: "the transaction is not mined yet, or the backend's node does not know it",
  reverted: "the transaction reverted",
  not_confirmed: "the transaction has too few confirmations. Try again in a moment",
  not_paid: "the transaction does not transfer the amount of every line out of the vault. Missing"
}

const unproven = ({ builderIds, reason }: PaymentUnproven): string =>
  [UNPROVEN[reason], ...(builderIds.length > 0 ? [builderIds.join(", ")] : [])].join(": ")

const nothingOwed = ({ leftOut }: NothingOwed): string =>
  leftOut.length === 0
    ? "no builder is owed the minimum amount in this token on this chain"
    : `no builder who is owed the minimum amount in this token on this chain can be paid\n${asLeftOut(leftOut)}`

const WORDS: Readonly<Record<string, string>> = {
  Unauthorized:
    "the admin token is wrong. Set BUILDER_ADMIN_TOKEN to the backend's ADMIN_TOKEN. If a gateway is configured, the console accepts no token",
  NotFound: "no record has this id",
  AlreadyRegistered: "the id is taken, or the wallet already owns a builder",
  PayoutClosed: "the batch is no longer open",
  PaymentInFlight: "a signed payment of the batch may still be mined. `sweep payouts send` continues it",
  RestoreUnreconciled:
    "the database was restored and not reconciled, so builders could be paid twice. Run `sweep reconcile`, then try again",
  PaymentTaken:
    "the transaction is booked for another batch of the same token, and pays one batch only. Run the file of each batch in a transaction of its own. If this transaction paid this batch, too, do not fail it: its builders would be paid again",
  Unavailable: "the backend's database is unavailable. Try again later",
  UpstreamFailed: "the chain's node does not answer the backend. Try again later",
  InternalError: "the backend failed. Its log has the cause",
  BodyTooLarge: "the batch has too many lines for one payment. Fail it, and open one with a higher minimum amount"
}

/** Explains a failure of the typed client for people. */
export const explain = (url: string, failure: Failure): string => {
  if (isClientError(failure)) return unreachable(url, failure)
  if (failure._tag === "InvalidRequest") return issues(failure.error)
  if (failure instanceof PaymentUnproven) return unproven(failure)
  if (failure instanceof NothingOwed) return nothingOwed(failure)
  if (failure instanceof PaymentTaken && failure.batchId !== undefined) {
    return `the transaction pays the open batch ${failure.batchId} exactly. Mark that one as paid by it, and this one by its own transaction`
  }
  return (
    WORDS[failure._tag] ?? `${url} returned an error that this version of the command does not know (${failure._tag})`
  )
}

const isClientError = (failure: Failure): failure is HttpClientError.HttpClientError =>
  failure._tag === "HttpClientError"

const clientAt = ({ token, url }: ServiceLocation.Location) =>
  HttpApiClient.make(BuilderApi, {
    transformClient: HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(token))
    )
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** The admin API's typed client. `explained` turns its failures into {@link BuilderCallFailed}. */
export const connect = Effect.gen(function* () {
  const where = yield* ServiceLocation.find(service)
  const { console, rateLimits } = yield* clientAt(where)
  const explained = <A, E extends Failure, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, BuilderCallFailed, R> =>
    Effect.mapError(effect, (failure) => new BuilderCallFailed({ detail: explain(where.url, failure) }))
  return { console, rateLimits, explained, url: where.url }
})

export type Connection = Effect.Success<typeof connect>
