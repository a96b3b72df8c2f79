/**
 * Keep-alive HTTP/1.1 connections that do as little as can be: a client like `fetch` would cost more CPU than the servers that
 * are measured, on the cores that it shares with them.
 */
export interface Answer {
  readonly status: number
}

interface Connection {
  readonly ask: (request: string) => Promise<Answer>
}

const HEAD_END = Buffer.from("\r\n\r\n")

/** The status and length of the first answer in the buffer, once all of it is there. */
const answerIn = (buffer: Buffer): { readonly status: number; readonly length: number } | undefined => {
  const headEnd = buffer.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = buffer.toString("latin1", 0, headEnd)
  const body = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const length = headEnd + HEAD_END.length + body
  return buffer.length < length ? undefined : { status: Number(head.slice(9, 12)), length }
}

/** Connects when first asked, and again after the server closed it, as servers do with idle connections. */
const connect = (hostname: string, port: number): Connection => {
  let buffer: Buffer = Buffer.alloc(0)
  let socket: Bun.Socket | undefined
  let waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (cause: Error) => void } | undefined
  const lost = () => {
    socket = undefined
    waiting?.reject(new Error("the connection was lost"))
    waiting = undefined
  }
  const connected = async (): Promise<Bun.Socket> => {
    buffer = Buffer.alloc(0)
    socket = await Bun.connect({
      hostname,
      port,
      socket: {
        data: (_, chunk) => {
          buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk])
          const answer = answerIn(buffer)
          if (answer === undefined) return
          buffer = buffer.subarray(answer.length)
          waiting?.resolve({ status: answer.status })
          waiting = undefined
        },
        close: lost,
        error: lost
      }
    })
    return socket
  }
  return {
    ask: async (request) => {
      const open = socket ?? (await connected())
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        open.write(request)
      })
    }
  }
}

export interface Pool {
  readonly size: number
  /** Waits for a free connection. */
  readonly ask: (request: string) => Promise<Answer>
}

export const open = (url: string, size: number): Pool => {
  const { hostname, port } = new URL(url)
  const free = Array.from({ length: size }, () => connect(hostname, Number(port)))
  const waiting: Array<(connection: Connection) => void> = []
  const release = (connection: Connection) => {
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else next(connection)
  }
  return {
    size,
    ask: async (request) => {
      const connection = free.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)))
      try {
        return await connection.ask(request)
      } finally {
        release(connection)
      }
    }
  }
}

/** An HTTP/1.1 request; the address is one that the rate limiter counts by. */
export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: 192.0.2.1\r\n\r\n`

export const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: 192.0.2.1\r\ncontent-type: application/json\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
