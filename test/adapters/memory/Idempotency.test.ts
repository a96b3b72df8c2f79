import * as Idempotency from "../../../src/adapters/memory/Idempotency.ts"
import { suite } from "../../ports/Idempotency.suite.ts"

suite("memory", Idempotency.layer)
