/**
 * Upper bound of Bun's throughput: a server that answers the same JSON as `GET /intents/:id` from memory or after the same
 * indexed read of Postgres. It checks, counts, logs and masks nothing.
 *
 *     bun bench/api/Bare.ts ID [DATABASE_URL]
 */
const [id, databaseUrl] = process.argv.slice(2)

const body = { id, status: "quoted", crossChain: false }

interface Row {
  readonly id: string
  readonly status: string
  readonly cross_chain: boolean
}

/** User and kernel microseconds of this process so far. */
const cpuMicros = (): Response => {
  const { system, user } = process.cpuUsage()
  return Response.json(system + user)
}

const fromMemory = () => Response.json(body)

const fromPostgres = (url: string) => {
  const sql = new Bun.SQL(url, { max: 10 })
  return async (request: Request) => {
    const asked = request.url.slice(request.url.lastIndexOf("/") + 1)
    const rows: ReadonlyArray<Row> = await sql`
      SELECT id, status, dest_chain_id <> source_chain_id AS cross_chain, '0x' || encode(tx_hash, 'hex') AS tx_hash,
        '0x' || encode(delivery_tx_hash, 'hex') AS delivery_tx_hash, failure_reason
      FROM orchestrator.intent_states WHERE id = ${asked}`
    const [row] = rows
    return row === undefined
      ? Response.json({ error: "not found" }, { status: 404 })
      : Response.json({ id: row.id, status: row.status, crossChain: row.cross_chain })
  }
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 255,
  routes: { "/cpu": cpuMicros },
  fetch: databaseUrl === undefined ? fromMemory : fromPostgres(databaseUrl)
})
process.stdout.write(`listening on ${server.port}\n`)
