/** Another app that embeds the sweep, with the wallet that its user has there. Its address holds the settings. */
import { createRoot } from "react-dom/client"
import { privateKeyToAccount } from "viem/accounts"
import { SweepWidget } from "../../../src/web/sweep/SweepWidget.tsx"

const asked = new URLSearchParams(location.search)
const signer = privateKeyToAccount(`0x${asked.get("key") ?? ""}`)
const chainId = Number(asked.get("chain"))
const nodes = { [chainId]: asked.get("node") ?? "" }
const defaults = { tokenOut: "USDT", chainId }
const delegate = asked.get("delegate")
const review = delegate === null ? {} : { delegates: { [chainId]: `0x${delegate.slice(2)}` as const } }

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
