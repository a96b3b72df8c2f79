/** Thread of an attacker's clients: it signs, asks and submits, as {@link Clients.make} does, for {@link AttackerClients}. */
import { setPriority } from "node:os"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Clients from "./Clients.ts"
import type { Answer, FirstTransaction, Task } from "./AttackerClients.ts"
import * as Sender from "./Sender.ts"

declare const self: Worker

/** An attacker signs on machines of its own, so its thread yields to the services where they share the cores of this one. */
const YIELDING = 10

setPriority(0, YIELDING)

const quote = async ({ from, place, request, url }: Extract<Task, { readonly kind: "quote" }>) => {
  const quoted = await Clients.make(url, place, from).quote({ ...request, owner: privateKeyToAccount(request.key) })
  return Clients.isRefusal(quoted) ? quoted : { id: quoted.id, signed: quoted.signed }
}

/** Transactions that were signed in advance, with their tips, by the keys of their senders. */
const signed = new Map<Hex, { readonly raw: Hex; readonly tip: bigint | undefined }>()

const sign = async ({ call, chainId, key }: FirstTransaction): Promise<Hex> => {
  const known = signed.get(key)
  if (known !== undefined && known.tip === call.tip) return known.raw
  const raw = await privateKeyToAccount(key).signTransaction(Sender.transaction(chainId, 0, call))
  signed.set(key, { raw, tip: call.tip })
  return raw
}

const send = async ({ rpcUrl, transactions }: Extract<Task, { readonly kind: "send" }>) => {
  const raws = await Promise.all(transactions.map(sign))
  const answered = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(
      raws.map((raw, id) => ({ jsonrpc: "2.0", id, method: "eth_sendRawTransaction", params: [raw] }))
    )
  })
  await answered.arrayBuffer()
}

const answer = async (task: Task): Promise<Answer> => {
  switch (task.kind) {
    case "quote":
      return quote(task)
    case "submit":
      return Clients.make(task.url, task.place, task.from).submit(task.sweep)
    case "sign":
      await Promise.all(task.transactions.map(sign))
      return undefined
    case "send":
      await send(task)
      return undefined
  }
}

self.addEventListener("message", async (event: MessageEvent<{ readonly number: number; readonly task: Task }>) => {
  const { number, task } = event.data
  self.postMessage({ number, answer: await answer(task) }, [])
})
