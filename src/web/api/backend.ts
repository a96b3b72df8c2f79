/**
 * Calls of pages to the builder backend. They are typed by its API contract, whose schemas stay on the server: they are larger than the
 * pages. The pages and the backend are of one release, so answers are not validated. A call resolves with a response of the contract, or
 * rejects with a {@link ServiceError}.
 */
import type { Ask, CallsOf, RoutesOf } from "./contract.ts"
import { baseUrl } from "./baseUrl.ts"
import { errorOf, ServiceError, UNREACHABLE } from "./ServiceError.ts"

/** Longer than any request of the backend takes. */
const TIMEOUT_MILLIS = 60_000

type Values = Readonly<Record<string, unknown>>

interface Asked {
  readonly params?: Values
  readonly query?: Values
  readonly payload?: unknown
}

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly amounts: Values
}

const urlOf = (path: string, { params = {}, query = {} }: Asked): URL => {
  const url = new URL(
    path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name]))),
    baseUrl
  )
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

/** The JSON of an answer, or undefined. */
const decoded = (text: string, amounts: Values): unknown => {
  try {
    return JSON.parse(text, (key, value: unknown) =>
      typeof value === "string" && Object.hasOwn(amounts, key) ? BigInt(value) : value
    )
  } catch {
    return undefined
  }
}

const limited = (signal: AbortSignal | undefined): AbortSignal => {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLIS)
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout])
}

type Credentials = () => Readonly<Record<string, string>>

const send = async (credentials: Credentials, endpoint: Endpoint, asked: Asked, signal: AbortSignal | undefined) => {
  const hasBody = asked.payload !== undefined
  try {
    const response = await fetch(urlOf(endpoint.path, asked), {
      method: endpoint.method,
      credentials: "include",
      headers: {
        accept: "application/json",
        ...credentials(),
        ...(hasBody ? { "content-type": "application/json" } : {})
      },
      signal: limited(signal),
      ...(hasBody ? { body: JSON.stringify(asked.payload) } : {})
    })
    const text = await response.text()
    const isText = response.headers.get("content-type")?.startsWith("text/") === true
    const body = isText ? text : decoded(text, endpoint.amounts)
    if (!response.ok) throw errorOf(response.status, body, response.headers.get("retry-after"))
    if (body === undefined) throw new ServiceError(UNREACHABLE)
    return body
  } catch (cause) {
    signal?.throwIfAborted()
    throw cause instanceof ServiceError ? cause : new ServiceError(UNREACHABLE, { cause })
  }
}

const endpointOf = (route: string | readonly [string, Values]): Endpoint => {
  const [text, amounts] = typeof route === "string" ? [route, {}] : route
  const [method = "", path = ""] = text.split(" ")
  return { method, path, amounts }
}

const noCredentials: Credentials = () => ({})

/** The calls of one group of the contract, with the session cookie and the given headers. */
export const callsOf =
  <Group>(credentials: Credentials = noCredentials) =>
  <const Routes extends RoutesOf<Group>>(routes: Routes): CallsOf<Group, Routes> => {
    const calls = Object.entries<string | readonly [string, Values]>(
      routes as Readonly<Record<string, string | readonly [string, Values]>>
    ).map(([name, route]) => {
      const endpoint = endpointOf(route)
      const call =
        (asked: Asked = {}): Ask<unknown> =>
        (signal) =>
          send(credentials, endpoint, asked, signal)
      return [name, call] as const
    })
    return Object.fromEntries(calls) as CallsOf<Group, Routes>
  }

/** Chooses a call of a client and runs it. */
export const callerOf =
  <Client>(client: Client) =>
  <Answer>(choose: (client: Client) => Ask<Answer>, signal?: AbortSignal): Promise<Answer> =>
    choose(client)(signal)
