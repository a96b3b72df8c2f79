/** What clients may know of the deployment. Nodes' urls stay here: they may hold keys. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import type { DeploymentView } from "../../api/builder/DeploymentApi.ts"
import { BuilderSettings } from "../../builder/BuilderSettings.ts"
import { Chains } from "../../ports/Chains.ts"

export const deployment = HttpApiBuilder.group(
  BuilderApi,
  "deployment",
  Effect.fnUntraced(function* (handlers) {
    const chains = yield* Chains
    const { gatewayHeader, orchestratorUrl, selfSignupEnabled } = yield* BuilderSettings
    const view: DeploymentView = {
      chains: chains.all.map(({ chain }) => ({
        id: chain.id,
        name: chain.name,
        nativeSymbol: chain.nativeSymbol,
        tokens: chain.tokens,
        ...(chain.explorerUrl === undefined ? {} : { explorerUrl: chain.explorerUrl })
      })),
      selfSignup: selfSignupEnabled,
      consoleAccess: gatewayHeader === undefined ? "admin_token" : "gateway",
      ...(orchestratorUrl === undefined ? {} : { orchestratorUrl })
    }
    return handlers.handle("deployment", () => Effect.succeed(view))
  })
)
