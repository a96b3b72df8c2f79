// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { GasBurner, ReturnBomb } from "./mocks/HostileAccounts.sol";
import { IRehearsal } from "./support/IRehearsal.sol";
import { MockScene } from "./support/MockScene.sol";

interface IScribe {
    function note() external payable returns (uint256 count, address caller, uint256 value);
    function shy(uint256 least) external view;
    function burn(uint256 rounds) external view returns (uint256 used);
}

/// @notice Simulated calls have the senders, the order and the gas that the real ones have.
contract RehearsalTest is MockScene {
    uint256 private constant GAS = 400_000;

    IRehearsal private stage;
    IRehearsal private other;
    IScribe private scribe;

    function setUp() public override {
        super.setUp();
        stage = IRehearsal(_create(_released("Rehearsal")));
        other = IRehearsal(_create(_released("Rehearsal")));
        scribe = IScribe(_create(_released("Scribe")));
    }

    function test_RunsInOrderAsTheSenders() public {
        vm.deal(address(other), 5);
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](3);
        steps[0] = _note(address(stage), 0);
        steps[1] = _note(address(other), 5);
        steps[2] = _note(address(stage), 0);
        IRehearsal.Outcome[] memory outcomes = stage.run(steps);
        assertEq(outcomes[0].returnData, abi.encode(1, address(stage), 0));
        assertEq(outcomes[1].returnData, abi.encode(2, address(other), 5));
        assertEq(outcomes[2].returnData, abi.encode(3, address(stage), 0));
        assertTrue(outcomes[0].success && outcomes[1].success && outcomes[2].success);
    }

    /// @dev Each step is the first that the callee sees, and costs what it costs alone, also beside one that burns its gas.
    function test_RunsEachApartAsIfAlone() public {
        IRehearsal.Step[] memory only = new IRehearsal.Step[](1);
        only[0] = _note(address(other), 0);
        uint256 state = vm.snapshotState();
        uint256 alone = stage.run(only)[0].gasUsed;
        vm.revertToState(state);
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](4);
        steps[0] = _note(address(other), 0);
        steps[1] = IRehearsal.Step(address(stage), address(new GasBurner()), 0, GAS, 0, 0, "");
        steps[2] = _note(address(other), 0);
        (steps[2].share, steps[2].extra) = (10, 50_000);
        steps[3] = _note(address(stage), 0);
        IRehearsal.Outcome[] memory outcomes = stage.runApart(steps);
        assertEq(outcomes[0].returnData, abi.encode(1, address(other), 0));
        assertEq(outcomes[2].returnData, abi.encode(1, address(other), 0));
        assertEq(outcomes[3].returnData, abi.encode(1, address(stage), 0));
        assertApproxEqAbs(outcomes[0].gasUsed, alone, 50);
        assertApproxEqAbs(outcomes[2].gasUsed, alone, 50);
        assertApproxEqAbs(outcomes[3].gasUsed, alone, 50);
        assertFalse(outcomes[1].success);
        assertEq(stage.run(only)[0].returnData, abi.encode(1, address(other), 0));
    }

    /// @dev Whatever gas the node grants, steps apart from each other have their full limits or the simulation reverts.
    function testFuzz_GivesStepsApartTheirLimitsOrReverts(uint32 supplied) public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](2);
        steps[0] = IRehearsal.Step(address(other), address(new GasBurner()), 0, GAS, 0, 0, "");
        steps[1] = _note(address(stage), 0);
        uint256 alone = stage.runApart(steps)[1].gasUsed;
        try stage.runApart{ gas: bound(supplied, 30_000, 2_000_000) }(steps) returns (
            IRehearsal.Outcome[] memory outcomes
        ) {
            assertApproxEqAbs(outcomes[0].gasUsed, GAS, 10);
            assertTrue(outcomes[1].success);
            assertApproxEqAbs(outcomes[1].gasUsed, alone, 50);
        } catch { }
    }

    function test_ReportsARevertAndGoesOn() public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](2);
        steps[0] = IRehearsal.Step(address(stage), address(scribe), 0, GAS, 0, 0, hex"deadbeef");
        steps[1] = _note(address(stage), 0);
        IRehearsal.Outcome[] memory outcomes = stage.run(steps);
        assertFalse(outcomes[0].success);
        assertTrue(outcomes[1].success);
    }

    /// @dev One that burns its gas uses up its limit, and one that returns too much is cut.
    function test_HostileCalleesLeaveTheOthersAlone() public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](4);
        steps[0] = IRehearsal.Step(address(stage), address(new GasBurner()), 0, GAS, 0, 0, "");
        steps[1] = IRehearsal.Step(address(stage), address(new ReturnBomb()), 0, GAS, 0, 0, hex"0102");
        steps[2] = IRehearsal.Step(address(stage), address(new ReturnBomb()), 0, GAS, 0, 0, hex"01");
        steps[3] = _note(address(stage), 0);
        IRehearsal.Outcome[] memory outcomes = stage.run(steps);
        assertFalse(outcomes[0].success);
        assertApproxEqAbs(outcomes[0].gasUsed, GAS, 10);
        assertEq(outcomes[1].returnData.length, stage.MAX_RETURN_DATA());
        assertEq(outcomes[2].returnData.length, stage.MAX_RETURN_DATA());
        assertTrue(outcomes[3].success);
    }

    /// @dev The callee measures itself: what it cannot see are its dispatch and its return.
    function testFuzz_MeasuresTheExecution(uint8 rounds) public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](1);
        steps[0] =
            IRehearsal.Step(address(stage), address(scribe), 0, GAS, 0, 0, abi.encodeCall(IScribe.burn, (rounds)));
        IRehearsal.Outcome memory outcome = stage.run(steps)[0];
        uint256 inside = abi.decode(outcome.returnData, (uint256));
        assertGe(outcome.gasUsed, inside);
        assertLe(outcome.gasUsed, inside + 600);
    }

    /// @dev Whatever gas the node grants, a step runs with its full limit or the simulation reverts.
    function testFuzz_GivesEveryStepItsLimitOrReverts(uint32 supplied) public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](1);
        steps[0] = IRehearsal.Step(address(other), address(new GasBurner()), 0, GAS, 0, 0, "");
        try stage.run{ gas: bound(supplied, 30_000, 2_000_000) }(steps) returns (IRehearsal.Outcome[] memory outcomes) {
            assertApproxEqAbs(outcomes[0].gasUsed, GAS, 10);
        } catch { }
    }

    /// @dev The call that is measured leaves nothing, and the second one costs the same with the gas that fits.
    function testFuzz_FitsTheGasToACall(uint64 extra, uint8 share) public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](2);
        steps[0] = _note(address(other), 0);
        steps[1] = _note(address(other), 0);
        (steps[1].share, steps[1].extra) = (bound(share, 1, 64), bound(extra, 5000, GAS));
        IRehearsal.Outcome[] memory outcomes = stage.run(steps);
        IRehearsal.Outcome memory fitted = outcomes[1];
        assertTrue(fitted.success);
        assertEq(fitted.returnData, abi.encode(2, address(other), 0));
        uint256 fits = fitted.gasUsed + fitted.gasUsed / steps[1].share + steps[1].extra;
        assertApproxEqAbs(fitted.gasLimit, fits, 100);
        assertEq(outcomes[0].gasLimit, GAS);
    }

    /// @dev A cold slot is cold again for the second call.
    function test_MeasuresColdStorageTwice() public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](1);
        steps[0] = _note(address(stage), 0);
        uint256 state = vm.snapshotState();
        uint256 plain = stage.run(steps)[0].gasUsed;
        vm.revertToState(state);
        (steps[0].share, steps[0].extra) = (10, 50_000);
        assertApproxEqAbs(stage.run(steps)[0].gasUsed, plain, 50);
    }

    function test_AFittedCallThatSeesMoreGasThanItWillHaveFails() public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](1);
        bytes memory data = abi.encodeCall(IScribe.shy, (GAS * 3 / 4));
        steps[0] = IRehearsal.Step(address(stage), address(scribe), 0, GAS, 10, 50_000, data);
        assertFalse(stage.run(steps)[0].success);
        steps[0].share = 0;
        assertTrue(stage.run(steps)[0].success);
    }

    function test_ReportsTheRevertOfAFittedCall() public {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](1);
        steps[0] = IRehearsal.Step(address(stage), address(new GasBurner()), 0, GAS, 10, 50_000, "");
        IRehearsal.Outcome memory outcome = stage.run(steps)[0];
        assertFalse(outcome.success);
        assertEq(outcome.gasLimit, GAS);
    }

    /// @dev With the code of the unsigned delegate in its place, an order settles under any signature, for the same gas.
    function test_AnUnsignedOrderCostsWhatTheSignedOneDoes() public {
        SweepOrder memory order = _order();
        bytes memory signed = abi.encodeCall(delegate.execute, (order, _sign(order, ownerKey)));
        bytes memory unsigned = abi.encodeCall(delegate.execute, (order, _sign(order, ownerKey + 1)));
        uint256 state = vm.snapshotState();
        IRehearsal.Outcome memory real = _rehearse(signed);
        vm.revertToState(state);
        assertFalse(_rehearse(unsigned).success);
        vm.revertToState(state);
        _placeUnsignedDelegate();
        IRehearsal.Outcome memory rehearsed = _rehearse(unsigned);
        assertTrue(real.success && rehearsed.success);
        assertEq(rehearsed.returnData, real.returnData);
        assertApproxEqAbs(rehearsed.gasUsed, real.gasUsed, 100);
    }

    function _note(address from, uint256 value) private view returns (IRehearsal.Step memory) {
        return IRehearsal.Step(from, address(scribe), value, GAS, 0, 0, abi.encodeCall(IScribe.note, ()));
    }

    function _rehearse(bytes memory data) private returns (IRehearsal.Outcome memory) {
        IRehearsal.Step[] memory steps = new IRehearsal.Step[](1);
        steps[0] = IRehearsal.Step(address(stage), owner, 0, GAS, 0, 0, data);
        return stage.run(steps)[0];
    }

    /// @dev Code with the immutable values of the deployed delegate, as its own constructor writes them.
    function _placeUnsignedDelegate() private {
        bytes memory initCode = abi.encodePacked(
            _released("UnsignedSweepDelegate"), abi.encode(delegate.feeRecipient(), weth, "Service", address(0))
        );
        vm.prank(address(guard));
        address made = _create(initCode);
        vm.etch(address(delegate), made.code);
    }
}
