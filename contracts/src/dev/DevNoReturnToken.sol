// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Token like USDT for local networks: calls return nothing, and an allowance must be zero before it is changed.
///         Anyone may mint.
contract DevNoReturnToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    /// @notice Creates `amount` for `to`.
    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    /// @notice ERC-20 transfer without a return value.
    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    /// @notice ERC-20 transferFrom without a return value.
    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
    }

    /// @notice ERC-20 approve without a return value. A change from one nonzero amount to another reverts.
    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
