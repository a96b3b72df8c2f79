/** Public facts of the deployment. URLs of nodes are not public, because they may hold keys. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import type { DeploymentView, PublicChain } from "../../api/builder/DeploymentApi.ts"
import { BuilderSettings } from "../../builder/shared/BuilderSettings.ts"
import type { Chain } from "../../domain/Chain.ts"
import { Chains } from "../../ports/shared/Chains.ts"

/** Contracts that an order may call, and what crosses the bridge. */
const callable = (chain: Chain): Pick<PublicChain, "wrappedNative" | "bridge" | "routers"> => {
  const { assets = {}, multicallHandler, spokePool, spokePoolPeriphery, swapRouter, venues = [], wrappedNative } = chain
  return {
    wrappedNative,
    bridge: {
      assets,
      ...(spokePool === undefined ? {} : { spokePool }),
      ...(spokePoolPeriphery === undefined ? {} : { spokePoolPeriphery }),
      ...(multicallHandler === undefined ? {} : { multicallHandler })
    },
    routers: [
      ...(swapRouter === undefined ? [] : [{ address: swapRouter, family: "uniswap-v3" as const }]),
      ...venues.map(({ family, router }) => ({ address: router, family }))
    ]
  }
}

const publicChain = (chain: Chain): PublicChain => ({
  id: chain.id,
  name: chain.name,
  nativeSymbol: chain.nativeSymbol,
  delegate: chain.contracts.delegate,
  tokens: chain.tokens,
  ...callable(chain),
  ...(chain.explorerUrl === undefined ? {} : { explorerUrl: chain.explorerUrl })
})

export const deployment = HttpApiBuilder.group(
  BuilderApi,
  "deployment",
  Effect.fnUntraced(function* (handlers) {
    const chains = yield* Chains
    const { domainName, gatewayHeader, localNodes, orchestratorUrl, selfSignupEnabled } = yield* BuilderSettings
    const view: DeploymentView = {
      chains: chains.all.map(({ chain }) => publicChain(chain)),
      selfSignup: selfSignupEnabled,
      domainName,
      consoleAccess: gatewayHeader === undefined ? "admin_token" : "gateway",
      ...(orchestratorUrl === undefined ? {} : { orchestratorUrl }),
      ...(localNodes === undefined ? {} : { localNetwork: localNodes })
    }
    return handlers.handle("deployment", () => Effect.succeed(view))
  })
)
