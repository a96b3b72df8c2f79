/** Says once in a run if the replicas of tests share a stand-in instead of a Redis. */
import * as Redis from "../../src/devnet/Redis.ts"

export default () => {
  if (Redis.program() !== undefined) return
  process.stdout.write(
    "neither redis-server nor valkey-server is installed: replicas share a stand-in, which `./sweep test redis` does not accept\n"
  )
}
