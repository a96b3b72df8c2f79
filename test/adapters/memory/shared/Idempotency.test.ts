import * as Idempotency from "../../../../src/adapters/memory/shared/Idempotency.ts"
import { suite } from "../../../ports/shared/Idempotency.suite.ts"

suite("memory", Idempotency.layer)
