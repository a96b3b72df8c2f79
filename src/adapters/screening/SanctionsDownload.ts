/** Downloads OFAC's SDN list. It is read while it arrives, and its size and the time for it are limited. */
import { Clock, Duration, Effect, Stream } from "effect"
import { type Headers, HttpClient, HttpClientRequest } from "effect/http"
import { RefreshFailed } from "../../ports/orchestrator/SanctionsLists.ts"
import * as SdnXml from "./SdnXml.ts"
import type * as ShrunkCopies from "./ShrunkCopies.ts"

export interface Options {
  readonly url: string
  /** Timeout of the whole download. Default: 2 minutes. */
  readonly timeout?: Duration.Input
  /** Largest list in bytes. Default: 256 MiB. */
  readonly maxBytes?: number
}

const failed = (detail: string) => new RefreshFailed({ detail })

const finished = ({ finish }: ReturnType<typeof SdnXml.reader>) => Effect.mapError(Effect.fromResult(finish()), failed)

/** UNIX milliseconds at which the source sent a response, which a cache may have kept since then. */
const sentAt = ({ age, date }: Headers.Headers, now: number): number => {
  const seconds = age !== undefined && /^\d+$/.test(age) ? Number(age) : 0
  const dated = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, Math.min(now - seconds * 1_000, Number.isNaN(dated) ? now : dated))
}

/** Makes the download. Redirects are followed: OFAC answers with one to its storage, and the request has no key. */
export const make = Effect.fnUntraced(function* ({
  maxBytes = 256 * 1_048_576,
  timeout = Duration.minutes(2),
  url
}: Options) {
  const http = yield* HttpClient.HttpClient

  const download = Effect.gen(function* () {
    const response = yield* http.execute(HttpClientRequest.get(url))
    if (response.status !== 200) return yield* failed(`HTTP ${response.status}`)
    const madeAt = sentAt(response.headers, yield* Clock.currentTimeMillis)
    const reader = SdnXml.reader()
    const decoder = new TextDecoder()
    let length = 0
    yield* response.stream.pipe(
      Stream.runForEach((bytes): Effect.Effect<unknown, RefreshFailed> => {
        length += bytes.byteLength
        if (length > maxBytes) return Effect.fail(failed(`it is longer than ${maxBytes} bytes`))
        // A list that cannot be read has no end that is worth waiting for.
        return reader.push(decoder.decode(bytes, { stream: true })) ? Effect.void : finished(reader)
      })
    )
    return { list: yield* finished(reader), madeAt } satisfies ShrunkCopies.Copy
  })

  return download.pipe(
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.catchTag("HttpClientError", (error) => Effect.fail(failed(error.reason._tag))),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(failed(`no complete answer within ${Duration.format(Duration.fromInputUnsafe(timeout))}`))
    }),
    Effect.withSpan("SanctionsDownload")
  )
})
