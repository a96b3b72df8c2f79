/** Finds the service that an operator's command talks to: by its settings, or else on the local network. */
import { type Config, Console, Effect, Option, Redacted } from "effect"
import type { DevInfo } from "../devnet/DevInfo.ts"
import * as LocalNetwork from "./LocalNetwork.ts"
import { UsageError } from "./UsageError.ts"

export interface Location {
  /** Base URL. */
  readonly url: string
  /** Admin token. */
  readonly token: Redacted.Redacted
}

export interface Service {
  /** Name in messages. */
  readonly name: string
  readonly url: { readonly name: string; readonly config: Config.Config<Option.Option<URL>> }
  readonly token: { readonly name: string; readonly config: Config.Config<Option.Option<Redacted.Redacted>> }
  /** Setting of the service that holds its admin token. */
  readonly tokenOfService: string
  /** Base URL and admin token on a local network. */
  readonly local: (info: DevInfo) => { readonly url: string; readonly token: string }
}

/** Url and token from the settings, or else of the local network, which is then named on standard error. */
export const find = Effect.fnUntraced(function* (service: Service) {
  const [url, token] = [yield* service.url.config, yield* service.token.config]
  if (Option.isSome(url) && Option.isSome(token)) {
    return { url: url.value.href, token: token.value } satisfies Location
  }
  if (Option.isSome(url))
    return yield* new UsageError({
      detail: `${service.token.name} is not set. Set it to the ${service.tokenOfService} of the ${service.name}`
    })
  if (Option.isSome(token))
    return yield* new UsageError({
      detail: `${service.url.name} is not set. Set it to the base URL of the ${service.name}`
    })
  const local = yield* LocalNetwork.running
  if (Option.isNone(local)) {
    return yield* new UsageError({
      detail: `${service.url.name} and ${service.token.name} are not set. Set them to those of the ${service.name}, or start \`./sweep dev\``
    })
  }
  const found = service.local(local.value.info)
  yield* Console.error(`using the local network of ${local.value.file}: ${found.url}`)
  return { url: found.url, token: Redacted.make(found.token) } satisfies Location
})
