// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { Vm } from "forge-std/Vm.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ISwapRouter02, UniswapScene } from "./support/UniswapScene.sol";

interface ISpokePool {
    function initialize(uint32 initialDepositId, address withdrawalRecipient) external;
    function depositV3(
        address depositor,
        address recipient,
        address inputToken,
        address outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 destinationChainId,
        address exclusiveRelayer,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityParameter,
        bytes calldata message
    ) external payable;
}

/// @notice Sweeps through the published code of Uniswap v3 and Across.
contract VenuesTest is UniswapScene {
    /// @dev SwapRouter02 reads this as its own address.
    address private constant ROUTER_ITSELF = address(2);
    bytes32 private constant FUNDS_DEPOSITED = 0x32ed1a409ef04c7b0227189c3a103dc5ac10e775a15b785dcc510201f7c25ad3;

    ISpokePool private spokePool;

    function setUp() public {
        _scene();
        _pool(address(tokenIn), weth);
        bytes memory code =
            _package("@across-protocol/contracts/dist/evm/artifacts/Ethereum_SpokePool.sol/Ethereum_SpokePool.json");
        address logic = _create(abi.encodePacked(code, abi.encode(weth, 1 hours, 6 hours, address(0))));
        bytes memory initialize = abi.encodeCall(ISpokePool.initialize, (1, makeAddr("withdrawals")));
        address proxy = _create(abi.encodePacked(_released("SpokePoolProxy"), abi.encode(logic, initialize)));
        spokePool = ISpokePool(proxy);

        _deploy(weth, _one(address(router)), _one(proxy));
        _delegate(owner, address(delegate));
        tokenIn.mint(owner, AMOUNT);
    }

    function test_UniswapTokenForToken() public {
        uint256 out = _executeSigned(_swapOrder(owner, 0));
        assertEq(tokenOut.balanceOf(owner), out);
        assertGe(out, REST * 99 / 100);
        assertEq(tokenIn.balanceOf(owner), 0);
        assertEq(tokenIn.allowance(owner, address(router)), 0);
    }

    function test_UniswapBelowTheMinimumReverts() public {
        SweepOrder memory order = _swapOrder(owner, 0);
        order.minAmountOut = REST;
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.InsufficientOutput.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_UniswapToSomeoneElseReverts() public {
        SweepOrder memory order = _swapOrder(owner, 0);
        order.swapCalldata = _swapCall(REST, makeAddr("thief"));
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.InsufficientOutput.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_UniswapNativeForToken() public {
        vm.deal(owner, AMOUNT);
        SweepOrder memory order = _swapOrder(owner, 0);
        order.tokenIn = NATIVE;
        order.tokenOut = address(tokenIn);
        order.swapCalldata = _exactInput(weth, address(tokenIn), owner);
        uint256 out = _executeSigned(order);
        assertEq(tokenIn.balanceOf(owner), AMOUNT + out);
        assertEq(owner.balance, 0);
        assertEq(IERC20(weth).balanceOf(owner), 0);
        assertEq(IERC20(weth).balanceOf(feeRecipient), FEE);
        assertEq(IERC20(weth).balanceOf(builder), BUILDER_FEE);
    }

    function test_UniswapTokenForNative() public {
        SweepOrder memory order = _swapOrder(owner, 0);
        order.tokenOut = NATIVE;
        order.destination = makeAddr("destination");
        bytes[] memory calls = new bytes[](2);
        calls[0] = _exactInput(address(tokenIn), weth, ROUTER_ITSELF);
        calls[1] = abi.encodeCall(ISwapRouter02.unwrapWETH9, (order.minAmountOut, order.destination));
        order.swapCalldata = abi.encodeCall(ISwapRouter02.multicall, (calls));
        assertEq(_executeSigned(order), order.destination.balance);
        assertGe(order.destination.balance, order.minAmountOut);
    }

    function test_AcrossDeposit() public {
        SweepOrder memory order = _deposit(REST);
        vm.recordLogs();
        assertEq(_executeSigned(order), 0);
        assertEq(tokenIn.balanceOf(address(spokePool)), REST);
        assertEq(tokenIn.balanceOf(feeRecipient), FEE);
        assertEq(tokenIn.balanceOf(builder), BUILDER_FEE);
        assertEq(tokenIn.allowance(owner, address(spokePool)), 0);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 deposits;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter == address(spokePool) && logs[i].topics[0] == FUNDS_DEPOSITED) {
                ++deposits;
                assertEq(uint256(logs[i].topics[1]), 10);
                assertEq(address(uint160(uint256(logs[i].topics[3]))), owner);
            }
        }
        assertEq(deposits, 1);
    }

    function test_AcrossDepositOfMoreThanTheRestReverts() public {
        tokenIn.mint(owner, AMOUNT);
        SweepOrder memory order = _deposit(REST + 1);
        bytes memory signature = _sign(order, ownerKey);
        vm.expectPartialRevert(ISweepErrors.SwapFailed.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_AcrossDepositOfNative() public {
        vm.deal(owner, AMOUNT);
        SweepOrder memory order = _deposit(REST);
        order.tokenIn = NATIVE;
        order.swapCalldata = _depositCall(weth, REST);
        _executeSigned(order);
        assertEq(owner.balance, 0);
        assertEq(IERC20(weth).balanceOf(address(spokePool)), REST);
    }

    /// @dev The bar is that of a sweep with both fees and a fresh delegation, so the authorization's net 12,500 is added.
    function test_AcrossDepositBeatsItsGasBar() public {
        tokenIn.mint(feeRecipient, 1);
        tokenIn.mint(builder, 1);
        tokenIn.mint(address(spokePool), 1);
        _executeSigned(_deposit(REST));
        uint256 gas = vm.lastCallGas().gasTotalUsed + 12_500;
        vm.snapshotValue("Gas", "Across deposit, fresh delegation", gas);
        assertLe(gas, 147_538);
    }

    function test_AcrossDepositOfAPlainAccount() public {
        tokenIn.mint(address(spokePool), 1);
        bytes memory deposit = _depositCall(address(tokenIn), AMOUNT);
        vm.startPrank(owner);
        tokenIn.approve(address(spokePool), AMOUNT);
        uint256 gas = vm.lastCallGas().gasTotalUsed;
        (bool ok,) = address(spokePool).call(deposit);
        assertTrue(ok);
        vm.snapshotValue("Gas", "Across, plain account, approve and deposit", gas + vm.lastCallGas().gasTotalUsed);
    }

    function _deposit(uint256 amount) private view returns (SweepOrder memory order) {
        order = _swapOrder(owner, 0);
        order.destChainId = 10;
        order.minAmountOut = 0;
        order.swapTarget = address(spokePool);
        order.swapCalldata = _depositCall(address(tokenIn), amount);
    }

    function _depositCall(address token, uint256 amount) private view returns (bytes memory) {
        return abi.encodeCall(
            ISpokePool.depositV3,
            (
                owner,
                owner,
                token,
                address(tokenOut),
                amount,
                amount * 999 / 1000,
                10,
                address(0),
                uint32(block.timestamp),
                uint32(block.timestamp + 1 hours),
                0,
                ""
            )
        );
    }

    function _exactInput(address from, address to, address recipient) private pure returns (bytes memory) {
        return abi.encodeCall(
            ISwapRouter02.exactInputSingle,
            (ISwapRouter02.ExactInputSingleParams(from, to, POOL_FEE, recipient, REST, 0, 0))
        );
    }
}
