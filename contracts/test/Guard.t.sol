// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { DevToken } from "../src/dev/DevToken.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ISweepGuard, Kind, SweepReport } from "../src/interfaces/ISweepGuard.sol";
import { ForeignDelegate } from "./mocks/HostileAccounts.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice The lock, the allow-list, and the right to make the guard log.
contract GuardTest is MockScene {
    bytes4 private constant BAD_DOMAIN_NAME = bytes4(keccak256("BadDomainName()"));

    /// @dev Two owners sweep to one destination. A hostile hop of the first swap runs the second order: without the lock
    ///      one delivery would satisfy both balance checks and the hop would keep the first input.
    function test_NestedOrderOfAnotherOwnerReverts() public {
        (address victim, uint256 victimKey) = makeAddrAndKey("victim");
        _delegate(victim, address(delegate));
        tokenIn.mint(victim, AMOUNT);
        SweepOrder memory inner = _order(victim, address(tokenIn), address(tokenOut), REST, OUT);
        bytes memory data = abi.encodeCall(ISweepDelegate.execute, (inner, _sign(inner, victimKey)));

        SweepOrder memory order = _order();
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough, (victim, data, address(tokenIn), REST, address(tokenOut), 0, destination)
        );
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(
            abi.encodeWithSelector(ISweepErrors.SwapFailed.selector, abi.encodePacked(ISweepErrors.Locked.selector))
        );
        ISweepDelegate(owner).execute(order, signature);

        order.swapCalldata = abi.encodeCall(
            MockRouter.swapTrying, (victim, data, address(tokenIn), REST, address(tokenOut), 0, destination)
        );
        signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.InsufficientOutput.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    /// @dev Nor through the batch entry.
    function test_NestedBatchRunsNothing() public {
        (address victim, uint256 victimKey) = makeAddrAndKey("victim");
        _delegate(victim, address(delegate));
        tokenIn.mint(victim, AMOUNT);
        SweepOrder memory inner = _order(victim, address(tokenIn), address(tokenOut), REST, OUT);
        bytes memory run = abi.encodeCall(entry.run, (_items(inner, _sign(inner, victimKey))));
        SweepOrder memory order = _order();
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough, (address(entry), run, address(tokenIn), REST, address(tokenOut), OUT, destination)
        );
        assertEq(_executeSigned(order), OUT);
        assertEq(tokenIn.balanceOf(victim), AMOUNT);
        assertFalse(guard.isNonceUsed(victim, _nonce(0)));
    }

    /// @dev The "swap" is a transfer of some other token of the owner.
    function test_AnotherTokenIsNoTarget() public {
        DevToken treasure = new DevToken("Treasure", "TRS", 18);
        treasure.mint(owner, AMOUNT);
        SweepOrder memory order = _order();
        (order.destChainId, order.minAmountOut, order.swapTarget) = (10, 0, address(treasure));
        order.swapCalldata = abi.encodeCall(treasure.transfer, (makeAddr("thief"), AMOUNT));
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.TargetNotAllowed.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_SweepsFollowEachOtherInOneTransaction() public {
        tokenIn.mint(owner, AMOUNT);
        SweepOrder memory second = _order();
        second.nonce = _nonce(1);
        TwoInOne both = new TwoInOne();
        both.run(_order(), _sign(_order(), ownerKey), second, _sign(second, ownerKey));
        assertEq(tokenOut.balanceOf(destination), 2 * OUT);
    }

    /// @dev A sweep that reverts releases the lock as well.
    function test_FailedSweepLeavesNoLock() public {
        SweepOrder memory bad = _order();
        bad.minAmountOut = OUT + 1;
        TwoInOne both = new TwoInOne();
        both.runTryingFirst(bad, _sign(bad, ownerKey), _order(), _sign(_order(), ownerKey));
        assertEq(tokenOut.balanceOf(destination), OUT);
    }

    function testFuzz_OnlyDelegatedAccountsEnter(address caller) public {
        vm.assume(caller != owner);
        vm.expectRevert(ISweepErrors.NotADelegatedAccount.selector);
        vm.prank(caller);
        guard.enter(_nonce(0), Kind.Router, address(router));
    }

    function test_ImplementationItselfMayNotEnter() public {
        vm.expectRevert(ISweepErrors.NotADelegatedAccount.selector);
        vm.prank(address(delegate));
        guard.enter(_nonce(0), Kind.Router, address(router));
    }

    function test_AccountOfAnotherDelegateMayNotEnter() public {
        bytes memory arguments = abi.encode(feeRecipient, weth, "Service", address(0));
        address copy = _create(abi.encodePacked(_released("SweepDelegate"), arguments));
        _delegate(owner, copy);
        vm.expectRevert(ISweepErrors.NotADelegatedAccount.selector);
        vm.prank(owner);
        guard.enter(_nonce(0), Kind.Router, address(router));
    }

    /// @dev Without a sweep in progress the lock's holder is the zero address, from which nobody can call.
    function testFuzz_OnlyTheHolderOfTheLockExits(address caller) public {
        vm.assume(caller != address(0));
        SweepReport memory report;
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        vm.prank(caller);
        guard.exit(report);
    }

    function test_HopCannotExitTheSweepItIsPartOf() public {
        SweepReport memory report;
        SweepOrder memory order = _order();
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough,
            (
                address(guard),
                abi.encodeCall(guard.exit, (report)),
                address(tokenIn),
                REST,
                address(tokenOut),
                OUT,
                destination
            )
        );
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(
            abi.encodeWithSelector(
                ISweepErrors.SwapFailed.selector, abi.encodePacked(ISweepErrors.Unauthorized.selector)
            )
        );
        ISweepDelegate(owner).execute(order, signature);
    }

    /// @dev Anyone may emit the same bytes, but not from the guard's address.
    function test_ForgedLogHasAnotherEmitter() public {
        Forger forger = new Forger();
        vm.recordLogs();
        forger.forge(keccak256("order"), owner, builder);
        assertEq(vm.getRecordedLogs()[0].emitter, address(forger));

        ForeignDelegate foreign = new ForeignDelegate();
        _delegate(owner, address(foreign));
        SweepReport memory report;
        vm.expectRevert(ISweepErrors.NotADelegatedAccount.selector);
        ForeignDelegate(payable(owner))
            .perform(address(guard), abi.encodeCall(guard.enter, (_nonce(0), Kind.Router, address(router))));
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        ForeignDelegate(payable(owner)).perform(address(guard), abi.encodeCall(guard.exit, (report)));
    }

    function test_InitialTargetsAreActiveAtOnce() public view {
        assertTrue(guard.isTarget(address(router), Kind.Router));
        assertFalse(guard.isTarget(address(router), Kind.Bridge));
        assertTrue(guard.isTarget(address(bridge), Kind.Bridge));
        assertFalse(guard.isTarget(address(bridge), Kind.Router));
        assertEq(guard.activeFrom(address(router)), block.timestamp);
        assertEq(guard.activeFrom(address(bridge)), block.timestamp);
        assertEq(guard.activeFrom(address(tokenIn)), 0);
        assertFalse(guard.isTarget(address(tokenIn), Kind.Router));
        assertFalse(guard.isTarget(address(tokenIn), Kind.Bridge));
    }

    function test_NewTargetWaitsForTheTimelock() public {
        MockRouter other = new MockRouter();
        vm.expectEmit(address(guard));
        emit ISweepGuard.TargetAdded(address(other), Kind.Router, block.timestamp + TIMELOCK);
        vm.prank(admin);
        guard.setTarget(address(other), Kind.Router, true);

        SweepOrder memory order = _order();
        order.swapTarget = address(other);
        order.deadline += TIMELOCK;
        tokenOut.mint(address(other), OUT);
        bytes memory signature = _sign(order, ownerKey);
        vm.warp(block.timestamp + TIMELOCK - 1);
        assertFalse(guard.isTarget(address(other), Kind.Router));
        vm.expectRevert(ISweepErrors.TargetNotAllowed.selector);
        ISweepDelegate(owner).execute(order, signature);

        vm.warp(block.timestamp + 1);
        assertTrue(guard.isTarget(address(other), Kind.Router));
        assertEq(_execute(order, signature), OUT);
    }

    function test_NewBridgeTakesOrdersThatLeaveTheChain() public {
        MockRouter other = new MockRouter();
        vm.prank(admin);
        guard.setTarget(address(other), Kind.Bridge, true);
        vm.warp(block.timestamp + TIMELOCK);
        SweepOrder memory order = _bridged(REST, 0);
        order.deadline = block.timestamp;
        order.swapTarget = address(other);
        order.swapCalldata =
            abi.encodeCall(MockRouter.swap, (address(tokenIn), REST, address(tokenOut), 0, destination));
        assertEq(_executeSigned(order), 0);
        assertEq(tokenIn.balanceOf(address(other)), REST);
    }

    function test_RemovedTargetIsRefusedAtOnce() public {
        vm.expectEmit(address(guard));
        emit ISweepGuard.TargetRemoved(address(router));
        vm.prank(admin);
        guard.setTarget(address(router), Kind.Router, false);
        bytes memory signature = _sign(_order(), ownerKey);
        vm.expectRevert(ISweepErrors.TargetNotAllowed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function test_RemovalStopsAWaitingTarget() public {
        address other = address(new MockRouter());
        vm.startPrank(admin);
        guard.setTarget(other, Kind.Bridge, true);
        guard.setTarget(other, Kind.Router, false);
        vm.warp(block.timestamp + TIMELOCK);
        assertFalse(guard.isTarget(other, Kind.Bridge));
    }

    function test_ListingAgainNeitherHastensNorDelays() public {
        vm.startPrank(admin);
        vm.expectRevert(ISweepGuard.AlreadyListed.selector);
        guard.setTarget(address(router), Kind.Router, true);
        assertTrue(guard.isTarget(address(router), Kind.Router));
        vm.expectRevert(ISweepGuard.AlreadyListed.selector);
        guard.setTarget(address(router), Kind.Bridge, true);
        assertFalse(guard.isTarget(address(router), Kind.Bridge));
    }

    function testFuzz_OnlyTheOwnerSetsTargets(address caller, bool allowed) public {
        vm.assume(caller != admin);
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        vm.prank(caller);
        guard.setTarget(address(tokenIn), Kind.Router, allowed);
    }

    function test_SystemAndCodelessAddressesAreNeverListed() public {
        permit2();
        address[5] memory targets = [address(guard), address(delegate), PERMIT2, makeAddr("no code"), owner];
        vm.startPrank(admin);
        for (uint256 i; i < targets.length; ++i) {
            vm.expectRevert(ISweepErrors.BadSwapTarget.selector);
            guard.setTarget(targets[i], Kind.Router, true);
        }
    }

    /// @dev A call, so that a construction that goes well fails the test.
    function construct(
        address owner_,
        address recipient,
        string calldata domainName,
        address priorGuard,
        address[] calldata routers,
        address[] calldata bridges
    ) external {
        _guard(owner_, 0, recipient, weth, domainName, priorGuard, routers, bridges);
    }

    function test_ConstructorRefusesWhatCannotWork() public {
        address[] memory targets = new address[](1);
        address noGuard = makeAddr("no guard");
        vm.expectRevert(ISweepGuard.ZeroAddress.selector);
        this.construct(address(0), feeRecipient, "Service", address(0), _none(), _none());
        vm.expectRevert(ISweepGuard.ZeroAddress.selector);
        this.construct(admin, address(0), "Service", address(0), _none(), _none());
        vm.expectRevert(ISweepErrors.BadSwapTarget.selector);
        this.construct(admin, feeRecipient, "Service", address(0), targets, _none());
        vm.expectRevert(ISweepErrors.BadSwapTarget.selector);
        this.construct(admin, feeRecipient, "Service", address(0), _none(), targets);
        vm.expectRevert(ISweepGuard.NoPriorGuard.selector);
        this.construct(admin, feeRecipient, "Service", noGuard, _none(), _none());
        vm.expectRevert(BAD_DOMAIN_NAME);
        this.construct(admin, feeRecipient, "", address(0), _none(), _none());
        vm.expectRevert(BAD_DOMAIN_NAME);
        this.construct(admin, feeRecipient, "a name of one byte more than fit", address(0), _none(), _none());
    }

    function test_LongestDomainName() public {
        string memory name = "a name of as many bytes as fit.";
        assertEq(bytes(name).length, 31);
        ISweepGuard other = _guard(admin, 0, feeRecipient, weth, name, address(0), _none(), _none());
        (, string memory published,,,,,) = ISweepDelegate(other.delegate()).eip712Domain();
        assertEq(published, name);
    }
}

/// @notice An order names the guard under which it runs.
contract SecondGuardTest is MockScene {
    ISweepGuard private second;

    function setUp() public override {
        super.setUp();
        second = _guard(admin, 1, feeRecipient, weth, "Service", address(0), _one(address(router)), _none());
        tokenIn.mint(owner, AMOUNT);
    }

    function test_SettledOrderDoesNotRunUnderASecondGuard() public {
        bytes memory signature = _sign(_order(), ownerKey);
        _execute(_order(), signature);
        _refusedUnderTheSecond(signature);
    }

    function test_CancelledOrderDoesNotRunUnderASecondGuard() public {
        vm.prank(owner);
        ISweepDelegate(owner).cancel(_nonce(0));
        _refusedUnderTheSecond(_sign(_order(), ownerKey));
    }

    function test_OrderOfTheSecondGuardRunsThereOnly() public {
        SweepOrder memory order = _order();
        order.nonce = _nonceOf(address(second), 0);
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.ForeignNonce.selector);
        ISweepDelegate(owner).execute(order, signature);
        _delegate(owner, second.delegate());
        assertEq(_execute(order, signature), OUT);
    }

    function testFuzz_OnlyNoncesOfTheGuardAreSpentOrCancelled(uint128 prefix, uint128 index) public {
        vm.assume(prefix != uint128(uint160(address(guard))));
        SweepOrder memory order = _order();
        order.nonce = uint256(prefix) << 128 | index;
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.ForeignNonce.selector);
        ISweepDelegate(owner).execute(order, signature);
        vm.expectRevert(ISweepErrors.ForeignNonce.selector);
        vm.prank(owner);
        guard.cancel(order.nonce);
    }

    function _refusedUnderTheSecond(bytes memory signature) private {
        _delegate(owner, second.delegate());
        vm.expectRevert(ISweepErrors.ForeignNonce.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }
}

/// @notice Two sweeps in one transaction.
contract TwoInOne {
    function run(SweepOrder calldata a, bytes calldata aSig, SweepOrder calldata b, bytes calldata bSig) external {
        ISweepDelegate(a.owner).execute(a, aSig);
        ISweepDelegate(b.owner).execute(b, bSig);
    }

    function runTryingFirst(SweepOrder calldata a, bytes calldata aSig, SweepOrder calldata b, bytes calldata bSig)
        external
    {
        try ISweepDelegate(a.owner).execute(a, aSig) {
            revert("ran");
        } catch { }
        ISweepDelegate(b.owner).execute(b, bSig);
    }
}

/// @notice Emits the guard's event from another address.
contract Forger {
    function forge(bytes32 orderHash, address owner, address builder) external {
        emit ISweepGuard.Swept(
            orderHash, owner, builder, address(1), 1, 1, 1, address(2), 1, owner, address(3), 0, block.chainid
        );
    }
}
