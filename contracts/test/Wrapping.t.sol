// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { ISwapRouter02, UniswapScene } from "./support/UniswapScene.sol";

/// @notice Sweeps of native currency into its wrapped form: the delegate wraps it, and SwapRouter02 passes it on.
contract WrappingTest is UniswapScene {
    /// @dev Wrapped currency that the owner had before. No order may spend it.
    uint256 private constant EARLIER = 3e18;

    /// @dev Listed as well. It does what its calldata says.
    MockRouter private hostile;

    function setUp() public {
        _scene();
        hostile = new MockRouter();
        address[] memory routers = new address[](2);
        (routers[0], routers[1]) = (address(router), address(hostile));
        _deploy(weth, routers, _none());
        _delegate(owner, address(delegate));
        vm.deal(owner, AMOUNT);
        _fund(weth, owner, EARLIER);
    }

    function test_ToTheOwner() public {
        assertEq(_executeSigned(_wrap(owner)), REST);
        _assertMoved(EARLIER + REST);
    }

    function test_ToAnotherDestination() public {
        address destination = makeAddr("destination");
        assertEq(_executeSigned(_wrap(destination)), REST);
        assertEq(IERC20(weth).balanceOf(destination), REST);
        _assertMoved(EARLIER);
    }

    /// @dev The delegate has wrapped already, so the owner may keep what the target does not take. No allowance is left.
    function test_TargetThatTakesNothing() public {
        SweepOrder memory order = _wrap(owner);
        order.swapTarget = address(hostile);
        order.swapCalldata = _taking(0, owner);
        assertEq(_executeSigned(order), REST);
        _assertMoved(EARLIER + REST);
    }

    function test_LessThanTheRestIsRefused() public {
        SweepOrder memory order = _wrap(owner);
        order.minAmountOut = REST + 1;
        _refused(order, ISweepErrors.InsufficientOutput.selector);
    }

    /// @dev The owner's earlier balance does not count towards the minimum, and the target cannot take it.
    function testFuzz_TargetThatKeeps(uint256 taken, bool toOwner) public {
        taken = bound(taken, 1, REST + EARLIER);
        SweepOrder memory order = _wrap(toOwner ? owner : makeAddr("destination"));
        order.swapTarget = address(hostile);
        order.swapCalldata = _taking(taken, address(hostile));
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert();
        ISweepDelegate(owner).execute(order, signature);
        assertEq(owner.balance, AMOUNT);
        assertEq(IERC20(weth).balanceOf(owner), EARLIER);
    }

    function testFuzz_AnyAmountAndFees(uint256 amount, uint256 fee, uint256 builderFee, bool toOwner) public {
        amount = bound(amount, 1, AMOUNT);
        fee = bound(fee, 0, amount - 1);
        builderFee = bound(builderFee, 0, amount - fee - 1);
        uint256 rest = amount - fee - builderFee;
        SweepOrder memory order = _wrap(toOwner ? owner : makeAddr("destination"));
        (order.amountIn, order.feeAmount, order.builderFee, order.minAmountOut) = (amount, fee, builderFee, rest);
        order.swapCalldata = _passing(rest, order.destination);
        assertEq(_executeSigned(order), rest);
        assertEq(owner.balance, AMOUNT - amount);
        assertEq(IERC20(weth).balanceOf(owner), EARLIER + (toOwner ? rest : 0));
        assertEq(IERC20(weth).balanceOf(feeRecipient), fee);
        assertEq(IERC20(weth).balanceOf(builder), builderFee);
        assertEq(IERC20(weth).allowance(owner, address(router)), 0);
    }

    function _assertMoved(uint256 wrapped) private view {
        assertEq(owner.balance, 0);
        assertEq(IERC20(weth).balanceOf(owner), wrapped);
        assertEq(IERC20(weth).balanceOf(feeRecipient), FEE);
        assertEq(IERC20(weth).balanceOf(builder), BUILDER_FEE);
        assertEq(IERC20(weth).allowance(owner, address(router)), 0);
        assertEq(IERC20(weth).allowance(owner, address(hostile)), 0);
        assertEq(IERC20(weth).balanceOf(address(router)), 0);
    }

    function _refused(SweepOrder memory order, bytes4 reason) private {
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(reason);
        ISweepDelegate(owner).execute(order, signature);
    }

    function _wrap(address destination) private view returns (SweepOrder memory order) {
        order = _swapOrder(owner, 0);
        (order.tokenIn, order.tokenOut, order.destination, order.minAmountOut) = (NATIVE, weth, destination, REST);
        order.swapCalldata = _passing(REST, destination);
    }

    function _passing(uint256 amount, address destination) private view returns (bytes memory) {
        bytes[] memory calls = new bytes[](2);
        calls[0] = abi.encodeCall(ISwapRouter02.pull, (weth, amount));
        calls[1] = abi.encodeCall(ISwapRouter02.sweepToken, (weth, amount, destination));
        return abi.encodeCall(ISwapRouter02.multicall, (calls));
    }

    /// @dev Takes the amount, and pays it to `to`.
    function _taking(uint256 amount, address to) private view returns (bytes memory) {
        return abi.encodeCall(MockRouter.swap, (weth, amount, weth, amount, to));
    }
}
