// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { Vm } from "forge-std/Vm.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ISweepGuard, Kind, SweepReport } from "../src/interfaces/ISweepGuard.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice A nonce is spent only together with its event. A delegated account may send transactions of its own (EIP-7702), and the
///         guard cannot tell it from its code by the code hash, so the owner reaches `enter` without a sweep.
contract GuardNoncesTest is MockScene {
    address private other;

    function setUp() public override {
        super.setUp();
        other = makeAddr("other");
        _delegate(other, address(delegate));
    }

    function test_OwnerThatOnlyEntersSpendsNothing() public {
        vm.prank(owner);
        guard.enter(_nonce(0), Kind.Router, address(router));
        assertFalse(guard.isNonceUsed(owner, _nonce(0)));
        assertEq(_executeSigned(_order()), OUT);
        assertTrue(guard.isNonceUsed(owner, _nonce(0)));
    }

    function testFuzz_EnteringWritesNothingAndLogsNothing(uint128 index, bool leavesChain) public {
        vm.recordLogs();
        vm.record();
        vm.prank(owner);
        if (leavesChain) guard.enter(_nonce(index), Kind.Bridge, address(bridge));
        else guard.enter(_nonce(index), Kind.Router, address(router));
        (, bytes32[] memory writes) = vm.accesses(address(guard));
        assertEq(writes.length, 0);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(guard.nonceBitmap(owner, _nonce(index) >> 8), 0);
    }

    /// @dev The lock ends with the transaction that took it.
    function test_OwnerCannotExitInALaterTransaction() public {
        vm.prank(owner);
        guard.enter(_nonce(0), Kind.Router, address(router));
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        vm.prank(owner);
        guard.exit(_report(_nonce(0)));
    }

    function testFuzz_ExitSpendsTheNonceAndLogsIt(uint128 index) public {
        vm.recordLogs();
        this.enterAndExit(owner, owner, _nonce(index), _nonce(index));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 1);
        assertEq(logs[0].topics[0], ISweepGuard.Swept.selector);
        assertEq(logs[0].topics[2], bytes32(uint256(uint160(owner))));
        assertEq(guard.nonceBitmap(owner, _nonce(index) >> 8), 1 << (index & 0xff));
    }

    function test_ExitKeepsTheOtherNoncesOfTheWord() public {
        this.enterAndExit(owner, owner, _nonce(3), _nonce(3));
        this.enterAndExit(owner, owner, _nonce(4), _nonce(4));
        vm.prank(owner);
        guard.cancel(_nonce(5));
        assertEq(guard.nonceBitmap(owner, _nonce(0) >> 8), 0x38);
    }

    function test_OneOfTwoDelegatedAccountsCannotExitForTheOther() public {
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        this.enterAndExit(owner, other, _nonce(0), _nonce(0));
    }

    /// @dev So an exit never spends a nonce outside of the guard's range.
    function testFuzz_ExitWithANonceOfAnotherWordIsRefused(uint256 nonce) public {
        vm.assume(nonce >> 8 != _nonce(0) >> 8);
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        this.enterAndExit(owner, owner, _nonce(0), nonce);
    }

    function test_AnotherAccountCannotEnterMeanwhile() public {
        vm.expectRevert(ISweepErrors.Locked.selector);
        this.enterTwice(owner, other);
        vm.expectRevert(ISweepErrors.Locked.selector);
        this.enterTwice(owner, owner);
    }

    /// @dev The nonce is asked for before anything moves, and again when it is spent.
    function test_NonceIsCheckedAtBothEnds() public {
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        this.enterCancelAndExit(_nonce(0));
        assertFalse(guard.isNonceUsed(owner, _nonce(0)));
        vm.prank(owner);
        guard.cancel(_nonce(0));
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        vm.prank(owner);
        guard.enter(_nonce(0), Kind.Router, address(router));
    }

    function testFuzz_NonceOfAnotherGuardDoesNotEnter(uint256 nonce) public {
        vm.assume(nonce >> 128 != uint128(uint160(address(guard))));
        vm.expectRevert(ISweepErrors.ForeignNonce.selector);
        vm.prank(owner);
        guard.enter(nonce, Kind.Router, address(router));
    }

    /// @dev The functions below run in one transaction.
    function enterAndExit(address first, address second, uint256 entered, uint256 reported) external {
        vm.prank(first);
        guard.enter(entered, Kind.Router, address(router));
        vm.prank(second);
        guard.exit(_report(reported));
    }

    function enterTwice(address first, address second) external {
        vm.prank(first);
        guard.enter(_nonce(0), Kind.Router, address(router));
        vm.prank(second);
        guard.enter(_nonce(1), Kind.Router, address(router));
    }

    function enterCancelAndExit(uint256 nonce) external {
        vm.startPrank(owner);
        guard.enter(nonce, Kind.Router, address(router));
        guard.cancel(nonce);
        guard.exit(_report(nonce));
    }

    function _report(uint256 nonce) private pure returns (SweepReport memory report) {
        report.nonce = nonce;
    }
}
