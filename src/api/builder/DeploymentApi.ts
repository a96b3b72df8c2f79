/** What a client must know of a deployment before anybody is signed in. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChainId } from "../../domain/ChainId.ts"
import { TokenInfo } from "../../domain/Token.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited } from "../shared/Middleware.ts"
import * as Docs from "./DeploymentDocs.ts"

export const PublicChain = Schema.Struct({
  id: ChainId,
  name: Schema.String,
  nativeSymbol: Schema.String,
  explorerUrl: Schema.optionalKey(Schema.String),
  tokens: Schema.Array(TokenInfo)
}).annotate({ identifier: "PublicChain" })
export type PublicChain = typeof PublicChain.Type

export const LocalNode = Schema.Struct({ chainId: ChainId, url: Schema.String }).annotate({ identifier: "LocalNode" })

export const DeploymentView = Schema.Struct({
  chains: Schema.Array(PublicChain),
  orchestratorUrl: Schema.optionalKey(Schema.String),
  selfSignup: Schema.Boolean,
  localNetwork: Schema.optionalKey(Schema.Array(LocalNode)).annotate({
    description: "the nodes of a local network, whose accounts are worth nothing; absent anywhere else"
  }),
  consoleAccess: Schema.Literals(["gateway", "admin_token"]).annotate({
    description: "what opens the admin console: the single sign-on gateway's assertion, or the admin token"
  })
}).annotate({ identifier: "Deployment" })
export type DeploymentView = typeof DeploymentView.Type

export const DeploymentGroup = HttpApiGroup.make("deployment")
  .add(
    HttpApiEndpoint.get("deployment", "/deployment", {
      success: DeploymentView,
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.deployment)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(OpenApi.annotations({ description: "What this deployment serves." }))
