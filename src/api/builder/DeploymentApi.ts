/** Public facts of a deployment, which clients need before anybody is signed in. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Address from "../../domain/Address.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { DomainName } from "../../domain/SweepOrder.ts"
import { TokenInfo } from "../../domain/Token.ts"
import { VenueFamily } from "../../domain/Venue.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited } from "../shared/Middleware.ts"
import * as Docs from "./DeploymentDocs.ts"
import { described } from "../../domain/Described.ts"

export const PublicChain = Schema.Struct({
  id: described(ChainId, "Chain."),
  name: described(Schema.String, "Name of the chain."),
  nativeSymbol: described(Schema.String, "Symbol of the native currency."),
  delegate: described(Address.Address, "Delegate that owners authorize (EIP-7702)."),
  explorerUrl: described(Schema.optionalKey(Schema.String), "URL of the block explorer."),
  wrappedNative: described(Address.Address, "Wrapped native currency."),
  bridge: described(
    Schema.Struct({
      spokePool: described(Schema.optionalKey(Address.Address), "SpokePool of Across. Absent without a bridge."),
      spokePoolPeriphery: described(
        Schema.optionalKey(Address.Address),
        "Contract of Across that swaps before a deposit. Absent if there is none."
      ),
      multicallHandler: described(
        Schema.optionalKey(Address.Address),
        "Contract of Across that swaps on arrival. Absent if there is none."
      ),
      assets: described(
        Schema.Record(Schema.String, Address.Address),
        "Tokens by the name of their asset. The same name on two chains is the same asset."
      )
    }),
    "Contracts and tokens of the bridge, against which a client checks what it signs."
  ),
  routers: described(
    Schema.Array(
      Schema.Struct({
        address: described(Address.Address, "Router that orders may call."),
        family: described(VenueFamily, "Interface of its calls.")
      })
    ),
    "Routers of exchanges, against which a client checks what it signs."
  ),
  tokens: described(Schema.Array(TokenInfo), "Listed tokens.")
}).annotate({ identifier: "PublicChain" })
export type PublicChain = typeof PublicChain.Type

export const LocalNode = Schema.Struct({
  chainId: described(ChainId, "Chain of the node."),
  url: described(Schema.String, "JSON-RPC URL of the node.")
}).annotate({ identifier: "LocalNode" })

export const DeploymentView = Schema.Struct({
  chains: described(Schema.Array(PublicChain), "Served chains."),
  domainName: described(
    Schema.optionalKey(DomainName),
    "EIP-712 domain name of orders. Earlier versions do not state it: it is `Service` then, if the operator did not set another."
  ),
  orchestratorUrl: described(
    Schema.optionalKey(Schema.String),
    "URL of the orchestrator for browsers. Absent if it is not configured."
  ),
  selfSignup: described(Schema.Boolean, "True if builders can sign up by themselves."),
  localNetwork: described(
    Schema.optionalKey(Schema.Array(LocalNode)),
    "Nodes of a local network, whose accounts are worth nothing. Absent elsewhere."
  ),
  consoleAccess: described(
    Schema.Literals(["gateway", "admin_token"]),
    "Credential of the admin console: the assertion of the single sign-on gateway, or the admin token."
  )
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
  .annotateMerge(OpenApi.annotations({ description: "Public facts of this deployment." }))
