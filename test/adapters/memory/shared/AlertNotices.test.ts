import * as Alerts from "../../../../src/adapters/memory/shared/Alerts.ts"
import { suite } from "../../../ports/shared/AlertNotices.suite.ts"

suite("memory", Alerts.layer)
