/** Public facts of the deployment. URLs of nodes are not public, because they may hold keys. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import type { DeploymentView, PublicChain } from "../../api/builder/DeploymentApi.ts"
import { BuilderSettings } from "../../builder/shared/BuilderSettings.ts"
import type { Chain } from "../../domain/Chain.ts"
import { Chains } from "../../ports/shared/Chains.ts"

const publicChain = ({ contracts, explorerUrl, id, name, nativeSymbol, tokens }: Chain): PublicChain => ({
  id,
  name,
  nativeSymbol,
  delegate: contracts.delegate,
  tokens,
  ...(explorerUrl === undefined ? {} : { explorerUrl })
})

export const deployment = HttpApiBuilder.group(
  BuilderApi,
  "deployment",
  Effect.fnUntraced(function* (handlers) {
    const chains = yield* Chains
    const { gatewayHeader, localNodes, orchestratorUrl, selfSignupEnabled } = yield* BuilderSettings
    const view: DeploymentView = {
      chains: chains.all.map(({ chain }) => publicChain(chain)),
      selfSignup: selfSignupEnabled,
      consoleAccess: gatewayHeader === undefined ? "admin_token" : "gateway",
      ...(orchestratorUrl === undefined ? {} : { orchestratorUrl }),
      ...(localNodes === undefined ? {} : { localNetwork: localNodes })
    }
    return handlers.handle("deployment", () => Effect.succeed(view))
  })
)
