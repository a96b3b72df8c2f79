// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice Functions that the guard of the first generation has in another form.
interface IFirstGuard {
    function setTarget(address target, bool allowed) external;
    function isNonceUsed(address account, uint256 nonce) external view returns (bool);
    function cancel(uint256 nonce) external;
    function delegate() external view returns (address);
}

/// @notice Both generations on one chain, with the same fee recipient, domain name and targets. The domain of a single order
///         names no delegate, so its digest is the same in both.
contract GenerationsTest is MockScene {
    address private firstDelegate;

    function setUp() public override {
        super.setUp();
        address[] memory targets = new address[](2);
        (targets[0], targets[1]) = (address(router), address(bridge));
        priorGuard = _create(
            abi.encodePacked(
                firstGeneration("sweepGuard"), abi.encode(admin, TIMELOCK, feeRecipient, weth, "Service", targets)
            )
        );
        firstDelegate = IFirstGuard(priorGuard).delegate();
        _deploy(weth, _one(address(router)), _one(address(bridge)));
        _delegate(owner, address(delegate));
        tokenIn.mint(owner, AMOUNT);
    }

    function test_DelegateNamesTheFirstGuard() public view {
        assertEq(delegate.priorGuard(), priorGuard);
    }

    function test_EachGenerationRunsItsOwnOrders() public {
        SweepOrder memory earlier = _order();
        earlier.nonce = 0;
        _delegate(owner, firstDelegate);
        assertEq(_executeSigned(earlier), OUT);
        _delegate(owner, address(delegate));
        assertEq(_executeSigned(_order()), OUT);
    }

    function testFuzz_OrderOfTheFirstGenerationIsRefusedHere(uint128 index, bool settled) public {
        SweepOrder memory earlier = _order();
        earlier.nonce = index;
        bytes memory signature = _sign(earlier, ownerKey);
        if (settled) {
            _delegate(owner, firstDelegate);
            _execute(earlier, signature);
            _delegate(owner, address(delegate));
        }
        vm.expectRevert(settled ? ISweepErrors.NonceUsedEarlier.selector : ISweepErrors.ForeignNonce.selector);
        ISweepDelegate(owner).execute(earlier, signature);
    }

    /// @dev The first generation cannot tell the order of another. Anybody may run it on an account that is still delegated to it,
    ///      before the authorization for this generation is mined.
    function testFuzz_OrderThatTheFirstGenerationRanDoesNotRunAgain(uint128 index) public {
        SweepOrder memory order = _order();
        order.nonce = _nonce(index);
        bytes memory signature = _sign(order, ownerKey);
        _delegate(owner, firstDelegate);
        assertEq(_execute(order, signature), OUT);
        _delegate(owner, address(delegate));
        vm.expectRevert(ISweepErrors.NonceUsedEarlier.selector);
        ISweepDelegate(owner).execute(order, signature);
        assertEq(entry.run(_items(order, signature)), 0);
        assertEq(tokenIn.balanceOf(owner), AMOUNT);
        assertEq(tokenOut.balanceOf(destination), OUT);
    }

    function test_NonceCancelledAtTheFirstGuardIsRefused() public {
        bytes memory signature = _sign(_order(), ownerKey);
        vm.prank(owner);
        IFirstGuard(priorGuard).cancel(_nonce(0));
        vm.expectRevert(ISweepErrors.NonceUsedEarlier.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    /// @dev Nobody runs an order of the second generation on the first one after the operator removed its targets.
    function test_RetiredGenerationRunsNothing() public {
        vm.prank(admin);
        IFirstGuard(priorGuard).setTarget(address(router), false);
        bytes memory signature = _sign(_order(), ownerKey);
        _delegate(owner, firstDelegate);
        vm.expectRevert(ISweepErrors.TargetNotAllowed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
        _delegate(owner, address(delegate));
        assertEq(_execute(_order(), signature), OUT);
    }

    /// @dev Each generation has a lock of its own. Until the first one is retired, a hop can run another owner's order there, and
    ///      the delivery to a common destination counts for the sweep here as well.
    function test_RetiredGenerationDeliversNothingInsideASweep() public {
        (address other, uint256 otherKey) = makeAddrAndKey("other");
        _delegate(other, firstDelegate);
        tokenIn.mint(other, AMOUNT);
        SweepOrder memory inner = _order(other, address(tokenIn), address(tokenOut), REST, OUT);
        inner.nonce = 0;
        bytes memory hop = abi.encodeCall(ISweepDelegate.execute, (inner, _sign(inner, otherKey)));
        SweepOrder memory outer = _order();
        outer.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough, (other, hop, address(tokenIn), REST, address(tokenOut), 0, destination)
        );
        bytes memory signature = _sign(outer, ownerKey);
        uint256 before = vm.snapshotState();
        assertEq(_execute(outer, signature), OUT);
        vm.revertToState(before);
        vm.prank(admin);
        IFirstGuard(priorGuard).setTarget(address(router), false);
        vm.expectPartialRevert(ISweepErrors.SwapFailed.selector);
        ISweepDelegate(owner).execute(outer, signature);
        assertEq(tokenIn.balanceOf(other), AMOUNT);
    }

    /// @dev A batch has another domain and another type, so no function of the first generation accepts its signature.
    function test_FirstGenerationRunsNoLegs() public {
        SweepOrder[] memory orders = _orders();
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory signature = _signBatch(hashes);
        _delegate(owner, firstDelegate);
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        ISweepDelegate(owner).execute(orders[0], signature);
        (bool ok,) = owner.call(
            abi.encodeCall(ISweepDelegate.executeBatch, (orders, _limits(2, 400_000), hashes, 0, signature))
        );
        assertFalse(ok);
        (ok,) = owner.call(abi.encodeCall(ISweepDelegate.executeLeg, (orders[0])));
        assertFalse(ok);
        assertEq(tokenIn.balanceOf(owner), 2 * AMOUNT);
    }

    /// @dev So legs do not pay for the question.
    function test_LegsDoNotAskTheFirstGuard() public {
        SweepOrder[] memory orders = _orders();
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory signature = _signBatch(hashes);
        vm.expectCall(priorGuard, "", 0);
        assertEq(ISweepDelegate(owner).executeBatch(orders, _limits(2, 400_000), hashes, 0, signature), 3);
    }

    function _orders() private view returns (SweepOrder[] memory orders) {
        orders = new SweepOrder[](2);
        (orders[0], orders[1]) = (_order(), _order());
        orders[1].nonce = _nonce(1);
    }
}
