/**
 * `GET /docs` and everything below it: the documentation as HTML, and at `/docs/api` the service's own contract. Every page
 * is self-contained. Its content security policy allows no request to another server.
 */
import { Duration, Effect, Exit, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiSwagger } from "effect/http-api"
import * as Cacheable from "./Cacheable.ts"
import { type DocsFiles, load, PATH } from "./DocsFiles.ts"
import { API_PATH, render, STYLE_HASH } from "./DocsHtml.ts"
import * as RequestPath from "./RequestPath.ts"

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

/** Makes the answer to every request for a response whose body is in memory. */
const answerOf = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<Cacheable.Revalidated> =>
  response.body._tag === "Uint8Array"
    ? Cacheable.revalidated(response, response.body.body)
    : Effect.succeed(Effect.succeed(response))

/** Sets the policy of the explorer, and keeps its page. Each service has its own. */
const kept = () =>
  HttpRouter.middleware(
    Effect.sync(() => {
      let known: Cacheable.Revalidated | undefined
      return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
        Effect.suspend(() => {
          if (known !== undefined) return known
          return Effect.flatMap(app, (page) =>
            Effect.flatMap(
              answerOf(HttpServerResponse.setHeader(page, "content-security-policy", API_POLICY)),
              (answer) => (known = answer)
            )
          )
        })
    })
  )

const explorer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  HttpApiSwagger.layer(api, { path: API_PATH }).pipe(Layer.provide(kept().layer))

const notFound = HttpServerResponse.jsonUnsafe({ error: "not found" }, { status: 404 })

const responseOf = (files: DocsFiles, path: string): HttpServerResponse.HttpServerResponse | undefined => {
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
  return document === undefined ? undefined : HttpServerResponse.text(document, { contentType: "application/json" })
}

const pages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    // Read with the first request: a server that shows no documentation does not read it. A failure is not kept.
    const files = yield* Effect.cachedWithTTL(Effect.promise(load), (exit) =>
      Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
    )
    // Answers by path, of files that exist. Rendering a page takes tens of milliseconds, so each one is rendered once.
    const answers = new Map<string, Cacheable.Revalidated>()
    const page = Effect.fnUntraced(function* ({ url }: HttpServerRequest.HttpServerRequest) {
      const path = RequestPath.of(url)
      const known = answers.get(path)
      if (known !== undefined) return yield* known
      const response = responseOf(yield* files, path)
      if (response === undefined) return notFound
      const answer = yield* answerOf(response)
      answers.set(path, answer)
      return yield* answer
    })
    // The router takes this for the path without the slash, too.
    yield* router.add("GET", `${PATH}/*`, page)
  })
)

/** The routes of a service: the pages, and the explorer of its contract. */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.merge(explorer(api), pages)
