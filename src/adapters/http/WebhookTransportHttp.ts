/**
 * {@link WebhookTransport} over HTTPS, for untrusted URLs. It prevents server-side request forgery:
 *
 * The adapter resolves the host name itself, in the request's `lookup`. All addresses must be public, and the connection is
 * made to one of them, so DNS rebinding between check and use has no effect. The certificate is checked against the name.
 * Each request has a new connection, follows no redirect and uses no proxy. It uses `node:https`, because `fetch` has no
 * `lookup`.
 */
import * as Dns from "node:dns"
import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Effect, Exit, Layer, Result } from "effect"
import { printable, urlProblem } from "../../domain/Webhook.ts"
import {
  type WebhookRequest,
  type WebhookResponse,
  SendFailed,
  UnacceptableUrl,
  WebhookTransport
} from "../../ports/builder/WebhookTransport.ts"
import { isPublic } from "./PublicAddress.ts"

export interface Options {
  /** Allows http and any address, for local networks. */
  readonly allowPrivate: boolean
  /** Timeout of the whole request, including the part of the body that is read. Default: 15 seconds. */
  readonly timeoutMillis?: number
  /** Certificate authorities to trust in addition to the system's. */
  readonly ca?: string
  /** Resolves a host name. Default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<ReadonlyArray<Dns.LookupAddress>>
}

/** Maximum number of characters of a response body that are read and kept for the endpoint's owner. */
const MAX_RESPONSE = 500

/** One text for both, since two would tell builders which names exist in the operator's network. */
const UNACCEPTABLE_HOST = "the host has an address that is not public, or cannot be resolved"

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

const describe = (error: Error): string => {
  const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : ""
  return printable(`${code}${error.message}`.slice(0, 200))
}

const systemResolve = (hostname: string) => Dns.promises.lookup(hostname, { all: true })

/** The addresses of a host. Fails unless all of them are allowed. */
const addressesOf = Effect.fnUntraced(function* (hostname: string, { allowPrivate, resolve = systemResolve }: Options) {
  const family = isIP(hostname)
  const addresses =
    family === 0
      ? yield* Effect.tryPromise({
          try: () => resolve(hostname),
          catch: () => new UnacceptableUrl({ detail: UNACCEPTABLE_HOST })
        })
      : [{ address: hostname, family }]
  const [first] = addresses
  if (first === undefined) return yield* new UnacceptableUrl({ detail: UNACCEPTABLE_HOST })
  if (!allowPrivate && !addresses.every(({ address }) => isPublic(address))) {
    return yield* new UnacceptableUrl({ detail: UNACCEPTABLE_HOST })
  }
  return { first, all: [...addresses] }
})

/** `lookup` of a request, which connects only to the addresses of {@link addressesOf}. */
const lookupOf =
  (options: Options): LookupFunction =>
  (hostname, { all }, callback) => {
    Effect.runCallback(Effect.result(addressesOf(hostname, options)), {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) return callback(new Error(UNACCEPTABLE_HOST), "", 4)
        return Result.match(exit.value, {
          onFailure: (refused) => callback(refused, "", 4),
          onSuccess: (found) =>
            all === true ? callback(null, found.all) : callback(null, found.first.address, found.first.family)
        })
      }
    })
  }

/** Sends one request and reads the status and the beginning of the body. */
const send = ({ body, headers, url: text }: WebhookRequest, timeoutMillis: number, options: Options) =>
  Effect.callback<WebhookResponse, SendFailed>((resume) => {
    const url = new URL(text)
    const hostname = withoutBrackets(url.hostname)
    const fail = (detail: string) => resume(Effect.fail(new SendFailed({ detail })))
    // `lookup` is not called for a host that is an address.
    if (isIP(hostname) !== 0 && !options.allowPrivate && !isPublic(hostname)) return fail(UNACCEPTABLE_HOST)
    const target = {
      hostname,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: "POST",
      agent: false,
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
      lookup: lookupOf(options)
    }
    let answer: WebhookResponse | undefined
    const request =
      url.protocol === "http:"
        ? Http.request(target)
        : Https.request({ ...target, ...(options.ca === undefined ? {} : { ca: options.ca }) })
    const timer = setTimeout(() => {
      if (answer === undefined) fail(`no answer within ${timeoutMillis / 1000} s`)
      else resume(Effect.succeed(answer))
      request.destroy()
    }, timeoutMillis)
    const end = () => {
      clearTimeout(timer)
      if (answer !== undefined) resume(Effect.succeed(answer))
      request.destroy()
    }
    request.on("error", (error) => {
      if (answer === undefined) fail(describe(error))
      end()
    })
    request.on("response", (message) => {
      const { statusCode = 0 } = message
      const decoder = new TextDecoder()
      answer = { statusCode, response: "" }
      message.on("data", (chunk: Uint8Array) => {
        const read = `${answer?.response ?? ""}${decoder.decode(chunk, { stream: true })}`
        answer = { statusCode, response: printable(read.slice(0, MAX_RESPONSE)) }
        if (read.length >= MAX_RESPONSE) end()
      })
      message.on("end", end)
      message.on("error", end)
      message.on("aborted", end)
    })
    request.end(body)
    return Effect.sync(() => {
      clearTimeout(timer)
      request.destroy()
    })
  })

export const make = (options: Options): WebhookTransport["Service"] => {
  const { allowPrivate, timeoutMillis = 15_000 } = options

  const check: WebhookTransport["Service"]["check"] = Effect.fn("WebhookTransport.check")(function* (text) {
    const problem = urlProblem(text, allowPrivate)
    if (problem !== undefined) return yield* new UnacceptableUrl({ detail: problem })
    yield* addressesOf(withoutBrackets(new URL(text).hostname), options).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.fail(new UnacceptableUrl({ detail: UNACCEPTABLE_HOST }))
      })
    )
  })

  const post: WebhookTransport["Service"]["post"] = Effect.fn("WebhookTransport.post")(function* (posted) {
    const problem = urlProblem(posted.url, allowPrivate)
    if (problem !== undefined) return yield* new SendFailed({ detail: problem })
    return yield* send(posted, timeoutMillis, options)
  })

  return WebhookTransport.of({ check, post })
}

export const layer = (options: Options) => Layer.sync(WebhookTransport, () => make(options))
