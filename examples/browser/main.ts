// A page that sweeps: the form is the request, the review is shown before anything is signed.
import { createSweepClient, SweepError, type SweepReview } from "token-sweep"
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

/** Shows what would be signed; resolves once the user has decided. */
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
    // A wallet's signer stands here in a real page; see SweepSigner.
    const account = privateKeyToAccount(field("key") as Hex)
    say("asking for a quote")
    const result = await createSweepClient({ orchestratorUrl: field("url") }).sweep(
      {
        owner: account.address,
        tokenIn: field("tokenIn") as Address,
        amountIn: BigInt(field("amountIn")),
        tokenOut: field("tokenOut") as Address,
        destChainId: Number(field("destChainId"))
      },
      account,
      { confirm: ask, onProgress: (intent) => say(intent.status) }
    )
    say(result === undefined ? "cancelled" : `delivered by ${result.intent.txHash}`)
  } catch (error) {
    say(error instanceof SweepError ? `${error.code}: ${error.message}` : String(error))
  }
})
