/** Another app that embeds the sweep, with the wallet that its user has there. Its address holds the settings. */
import { createRoot } from "react-dom/client"
import type { SweepSigner } from "../../../src/sdk/index.ts"
import { SweepWidget } from "../../../src/web/sweep/SweepWidget.tsx"

const asked = new URLSearchParams(location.search)
const hex = (name: string): `0x${string}` => `0x${(asked.get(name) ?? "").slice(2)}`

const account = async () => (await import("viem/accounts")).privateKeyToAccount(hex("key"))

/** Like a wallet of an embedded provider: its address is known to the app, and its key is used when it signs. */
const signer: SweepSigner = {
  address: hex("address"),
  signTypedData: async (typedData) => (await account()).signTypedData(typedData),
  signAuthorization: async (request) => (await account()).signAuthorization(request)
}
const chainId = Number(asked.get("chain"))
const nodes = { [chainId]: asked.get("node") ?? "" }
const defaults = { tokenOut: "USDT", chainId }
const review = asked.has("delegate") ? { delegates: { [chainId]: hex("delegate") } } : {}

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <SweepWidget
      apiKey={asked.get("apiKey") ?? ""}
      builderName="Another app"
      defaults={defaults}
      nodes={nodes}
      onDelivered={({ txHash }) => {
        document.title = `arrived in ${txHash ?? "nothing"}`
      }}
      orchestratorUrl={asked.get("orchestrator") ?? ""}
      review={review}
      signer={signer}
      theme="dark"
    />
  )
}
