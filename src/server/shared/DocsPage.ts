/** `GET /docs`: the contract for people. Everything is in the page; its policy lets it talk to nobody but this server. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiSwagger } from "effect/http-api"

export const PATH = "/docs"

const POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "frame-ancestors 'none'"
].join("; ")

const policy = HttpRouter.middleware(Effect.map(HttpServerResponse.setHeader("content-security-policy", POLICY)))

export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  HttpApiSwagger.layer(api, { path: PATH }).pipe(Layer.provide(policy.layer))
