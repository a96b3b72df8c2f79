/** A receiver of webhooks over TLS on the loopback interface, by the name of its certificate. */
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { WebhookRequest, WebhookResponse } from "../../../src/ports/builder/WebhookTransport.ts"
import { certificate, key } from "../../support/HookCertificate.ts"

/** Headers that a client adds by itself. */
const OWN = new Set(["host", "connection", "content-length"])

/** Stops with the scope. */
export const start = Effect.gen(function* () {
  const received: Array<WebhookRequest> = []
  let next: WebhookResponse | undefined = { statusCode: 204, response: "" }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = createServer({ cert: certificate, key }, (request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const headers = Object.entries(request.headers).filter(([name]) => !OWN.has(name))
          received.push({
            url: `https://${request.headers.host}${request.url}`,
            headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
            body: Buffer.concat(chunks).toString()
          })
          if (next === undefined) request.socket.destroy()
          else response.writeHead(next.statusCode).end(next.response)
        })
      })
      await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve))
      return made
    }),
    (made) =>
      Effect.promise(async () => {
        made.closeAllConnections()
        await new Promise((resolve) => made.close(resolve))
      })
  )
  const { port } = server.address() as AddressInfo
  return {
    url: `https://hook.example.com:${port}/sweeps?x=1`,
    received: Effect.sync(() => received.slice()),
    answer: (response: WebhookResponse | undefined) =>
      Effect.sync(() => {
        next = response
      })
  }
})
