/** Thread of an attacker's clients: it signs, asks and submits, as {@link Clients.make} does, for {@link AttackerClients}. */
import { setPriority } from "node:os"
import { privateKeyToAccount } from "viem/accounts"
import * as Clients from "./Clients.ts"
import type { Answer, Task } from "./AttackerClients.ts"

declare const self: Worker

/** An attacker signs on machines of its own, so its thread yields to the services where they share the cores of this one. */
const YIELDING = 10

setPriority(0, YIELDING)

const quote = async ({ from, place, request, url }: Extract<Task, { readonly kind: "quote" }>) => {
  const quoted = await Clients.make(url, place, from).quote({ ...request, owner: privateKeyToAccount(request.key) })
  return Clients.isRefusal(quoted) ? quoted : { id: quoted.id, signed: quoted.signed }
}

const answer = (task: Task): Promise<Answer> =>
  task.kind === "quote" ? quote(task) : Clients.make(task.url, task.place, task.from).submit(task.sweep)

self.addEventListener("message", async (event: MessageEvent<{ readonly number: number; readonly task: Task }>) => {
  const { number, task } = event.data
  self.postMessage({ number, answer: await answer(task) }, [])
})
