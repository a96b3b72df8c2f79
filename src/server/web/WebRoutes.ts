/**
 * Serves the web app under `/app`. Its content security policy allows connections only to this server, the orchestrator and, on
 * a local network, its nodes. Browsers that open `/` or `/admin` are redirected there. Other clients receive 404.
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { BuilderSettings, type BuilderSettingsShape } from "../../builder/shared/BuilderSettings.ts"
import * as RequestPath from "../shared/RequestPath.ts"
import { type Asset, WebAssets } from "./WebAssets.ts"

const APP = "/app"
const INDEX = "index.html"
const SWEEP = "sweep"

/** Every path that is answered here. */
export const PATHS = ["/", "/admin", APP, `${APP}/*`] as const

const policy = ({ localNodes = [], orchestratorUrl }: Pick<BuilderSettingsShape, "localNodes" | "orchestratorUrl">) => {
  const others = [...(orchestratorUrl === undefined ? [] : [orchestratorUrl]), ...localNodes.map(({ url }) => url)]
  const origins = others.flatMap((url) => URL.parse(url)?.origin ?? [])
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...origins].join(" "),
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const FOREVER = "public, max-age=31536000, immutable"

const notFound = HttpServerResponse.jsonUnsafe({ error: "not found" }, { status: 404 })

const accepts = (header: string | undefined, value: string): boolean => header?.includes(value) === true

const encoded = (asset: Asset, acceptEncoding: string | undefined): readonly [Uint8Array, Record<string, string>] =>
  asset.brotli !== undefined && accepts(acceptEncoding, "br")
    ? [asset.brotli, { "content-encoding": "br" }]
    : asset.gzip !== undefined && accepts(acceptEncoding, "gzip")
      ? [asset.gzip, { "content-encoding": "gzip" }]
      : [asset.plain, {}]

const file = (asset: Asset, request: HttpServerRequest.HttpServerRequest, csp: string) => {
  const [body, headers] = encoded(asset, request.headers["accept-encoding"])
  return HttpServerResponse.uint8Array(body, {
    contentType: asset.contentType,
    headers: {
      ...headers,
      vary: "Accept-Encoding",
      "cache-control": asset.isHashed ? FOREVER : "no-cache",
      "content-security-policy": csp,
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    }
  })
}

/** The part of a request's path below the app's own, without its query and slashes at the end. */
const below = (url: string): string => RequestPath.of(url).slice(APP.length + 1)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const assets = yield* WebAssets
    const csp = policy(yield* BuilderSettings)
    const index = assets.get(INDEX)

    const toApp = (location: string) => (request: HttpServerRequest.HttpServerRequest) =>
      Effect.succeed(
        index !== undefined && accepts(request.headers.accept, "text/html")
          ? HttpServerResponse.redirect(location, { headers: { vary: "Accept" } })
          : notFound
      )

    /** A path without a file extension is the sweep page, or a page of the app, whose router finds it. */
    const app = (request: HttpServerRequest.HttpServerRequest) => {
      const name = below(request.url)
      const page = name === SWEEP ? assets.get(`${SWEEP}.html`) : index
      const asset = assets.get(name) ?? (/\.[a-z0-9]+$/.test(name) ? undefined : page)
      return Effect.succeed(asset === undefined ? notFound : file(asset, request, csp))
    }

    yield* router.add("GET", "/", toApp(APP))
    yield* router.add("GET", "/admin", toApp(`${APP}/admin`))
    yield* router.add("GET", `${APP}/*`, app)
  })
)
