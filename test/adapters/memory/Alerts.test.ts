import * as Alerts from "../../../src/adapters/memory/Alerts.ts"
import { suite } from "../../ports/Alerts.suite.ts"

suite("memory", Alerts.layer)
