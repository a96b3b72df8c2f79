/**
 * `GET /docs` and everything below it: the documentation as HTML, and at `/docs/api` the service's own contract. Every page
 * is self-contained. Its content security policy allows no request to another server.
 */
import { Duration, Effect, Exit, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiSwagger } from "effect/http-api"
import { type DocsFiles, load, PATH } from "./DocsFiles.ts"
import { API_PATH, render, STYLE_HASH } from "./DocsHtml.ts"

export { API_PATH }

/** Every path that is answered here. */
export const PATHS = [PATH, `${PATH}/*`, API_PATH] as const

const API_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "frame-ancestors 'none'"
].join("; ")

const PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${STYLE_HASH}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const policy = HttpRouter.middleware(Effect.map(HttpServerResponse.setHeader("content-security-policy", API_POLICY)))

const explorer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  HttpApiSwagger.layer(api, { path: API_PATH }).pipe(Layer.provide(policy.layer))

const notFound = HttpServerResponse.jsonUnsafe({ error: "not found" }, { status: 404 })

/** The path of a request target without its query and without a slash at the end. */
const pathOf = (url: string): string => (url.split(/[?#]/, 1)[0] ?? "").replace(/\/+$/, "")

const answer = (files: DocsFiles, path: string): HttpServerResponse.HttpServerResponse => {
  const page = files.pages.get(path)
  if (page !== undefined) {
    return HttpServerResponse.text(render(files, page), {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": PAGE_POLICY }
    })
  }
  const image = files.images.get(path)
  if (image !== undefined) return HttpServerResponse.uint8Array(image.bytes, { contentType: "image/webp" })
  const document = files.documents.get(path)
  return document === undefined ? notFound : HttpServerResponse.text(document, { contentType: "application/json" })
}

const pages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    // Read with the first request: a server that shows no documentation does not read it. A failure is not kept.
    const files = yield* Effect.cachedWithTTL(Effect.promise(load), (exit) =>
      Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
    )
    const page = ({ url }: HttpServerRequest.HttpServerRequest) =>
      Effect.map(files, (loaded) => answer(loaded, pathOf(url)))
    // The router takes this for the path without the slash, too.
    yield* router.add("GET", `${PATH}/*`, page)
  })
)

/** The routes of a service: the pages, and the explorer of its contract. */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.merge(explorer(api), pages)
