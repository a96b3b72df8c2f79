// A page that sweeps a token on one chain. It shows the review before it signs.
import { createSweepClient, SweepError, type SweepReview } from "token-sweep"
import { VENUE_ROUTERS } from "token-sweep/venues"
import type { Address, Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"

const element = <E extends Element>(selector: string): E => {
  const found = document.querySelector<E>(selector)
  if (found === null) throw new Error(`the page has no ${selector}`)
  return found
}

const form = element<HTMLFormElement>("#sweep")
const panel = element<HTMLElement>("#review")
const status = element<HTMLElement>("#status")

const say = (text: string): void => {
  status.textContent = text
}

/** Shows the review. Resolves with the user's decision. */
const ask = ({ deadline, delegate, fees, receive, send, warnings }: SweepReview): Promise<boolean> => {
  const rows = [
    ["Send", `${send.amount} of ${send.token} on chain ${send.chainId}`],
    ["Fees", `${fees.protocol} protocol, ${fees.builder} builder`],
    ["Receive", `at least ${receive.minAmount} of ${receive.token} on chain ${receive.chainId}`],
    ["To", receive.destination],
    ["Until", deadline.toLocaleString()],
    ["Delegate", delegate],
    ...warnings.map((warning) => ["Note", warning])
  ]
  const list = element<HTMLElement>("#review dl")
  list.replaceChildren(
    ...rows.flatMap(([name = "", value = ""]) => {
      const term = document.createElement("dt")
      const description = document.createElement("dd")
      term.textContent = name
      description.textContent = value
      return [term, description]
    })
  )
  panel.hidden = false
  return new Promise((resolve) => {
    const decide = (answer: boolean) => () => {
      panel.hidden = true
      resolve(answer)
    }
    element<HTMLButtonElement>("#yes").onclick = decide(true)
    element<HTMLButtonElement>("#no").onclick = decide(false)
  })
}

form.addEventListener("submit", async (event) => {
  event.preventDefault()
  const data = new FormData(form)
  const field = (name: string): string => String(data.get(name) ?? "").trim()
  try {
    // A real page uses the signer of a wallet: see SweepSigner.
    const account = privateKeyToAccount(field("key") as Hex)
    const chainId = Number(field("chainId"))
    // In a real page, the delegate of each chain is part of the configuration. The routers of public chains come with the client.
    const client = createSweepClient({
      orchestratorUrl: field("url"),
      review: {
        delegates: { [chainId]: field("delegate") as Address },
        routers: { ...VENUE_ROUTERS, [chainId]: field("router") as Address },
        maxFeeBps: 1_000
      }
    })
    say("requesting a quote")
    const result = await client.sweep(
      {
        owner: account.address,
        tokenIn: field("tokenIn") as Address,
        amountIn: BigInt(field("amountIn")),
        tokenOut: field("tokenOut") as Address,
        minAmountOut: BigInt(field("minAmountOut")),
        destChainId: chainId,
        sourceChainId: chainId
      },
      account,
      { confirm: ask, onProgress: (intent) => say(intent.status) }
    )
    say(result === undefined ? "cancelled" : `delivered by ${result.intent.txHash}`)
  } catch (error) {
    say(error instanceof SweepError ? `${error.code}: ${error.message}` : String(error))
  }
})
