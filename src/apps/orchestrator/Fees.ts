/** Who has a subscription. */
import { Layer } from "effect"
import * as SubscriptionsHttp from "../../adapters/http/SubscriptionsHttp.ts"

export type Options = SubscriptionsHttp.Options

/** Without options, the request is trusted, which is the port's default. */
export const layer = (options: Options | undefined) =>
  options === undefined ? Layer.empty : SubscriptionsHttp.layer(options)
